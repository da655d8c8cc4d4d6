"""Language models as agents: any endpoint that speaks OpenAI's chat completions, and prompts that are files."""
