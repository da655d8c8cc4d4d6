"""The agent: language encoder, cross-modal encoder, memory bank and the paper's rivals."""
