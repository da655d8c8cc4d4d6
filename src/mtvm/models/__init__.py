"""The agent: language encoder, cross-modality encoder, memory bank and the paper's other histories."""
