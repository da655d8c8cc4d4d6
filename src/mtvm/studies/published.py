"""The paper's numbers as printed, to stand beside ours; they are of other weights, features and data."""

from __future__ import annotations

from mtvm.studies.blocks import Row, published_row

SOURCE = "The rows “as published” are the paper's: ResNet-152 features, PREVALENT's weights and augmented instructions."
BUILT_IN = "This is the built-in world: the paper's numbers, of real buildings, cannot stand beside these."

TABLE1: tuple[Row, ...] = (
    published_row("Random", 9.45, 16, None, 9.23, 16, None, 9.79, 13, 12),
    published_row("Human", None, None, None, None, None, None, 1.61, 86, 76),
    published_row("Speaker-Follower", 3.36, 66, None, 6.62, 35, None, 6.62, 35, 28),
    published_row("Self-monitoring", 3.22, 67, 58, 5.52, 45, 32, 5.67, 48, 35),
    published_row("RCM", 3.53, 67, None, 6.09, 43, None, 6.12, 43, 38),
    published_row("FAST-Short", None, None, None, 4.97, 56, 43, 5.14, 54, 41),
    published_row("EnvDrop", 3.99, 62, 59, 5.22, 52, 48, 5.23, 51, 47),
    published_row("DR-Attacker", 3.52, 70, 67, 4.99, 53, 48, 5.53, 52, 49),
    published_row("AuxRN", 3.33, 70, 67, 5.28, 55, 50, 5.15, 55, 51),
    published_row("RelGraph", 3.47, 67, 65, 4.73, 57, 53, 4.75, 55, 52),
    published_row("PRESS", 4.39, 58, 55, 5.28, 49, 45, 5.49, 49, 45),
    published_row("PREVALENT", 3.67, 69, 65, 4.71, 58, 53, "5.30", 54, 51),
    published_row("ORIST", None, None, None, 4.72, 57, 51, "5.10", 57, 52),
    published_row("VLN⟲BERT", "2.90", 72, 68, 3.93, 63, 57, 4.09, 63, 57),
    published_row("MTVM", 2.67, 74, 69, 3.73, 66, 59, 3.85, 65, 59),
)
"""NE, SR and SPL on val seen, val unseen and test."""

TABLE2: tuple[Row, ...] = (
    published_row("Random", 1.09, 1.09, 1.09),
    published_row("Shortest Path", 8.36, 7.99, 9.58),
    published_row("Seq-to-seq", 1.23, 1.98, "2.10"),
    published_row("PREVALENT", 2.58, 2.99, 3.15),
    published_row("CMN", 2.68, 2.28, 2.97),
    published_row("ORIST", "3.30", 3.29, 3.55),
    published_row("SCoA", 1.94, 2.91, 2.85),
    published_row("DR-Attacker", 3.27, "4.00", 4.18),
    published_row("MTVM", 4.57, "4.80", 5.15),
)
"""Goal progress on val unseen: oracle, navigator, mixed."""

TABLE3: tuple[Row, ...] = (
    published_row("E.T., oriented observations", 68.1, 63.6, "59.0", 54.5),
    published_row("HAMT, hierarchical observations", 69.3, 64.8, 63.5, 57.5),
    published_row("VLN⟲BERT, recurrent state", 72, 68, 63, 57),
    published_row("MTVM", 73.7, 69.3, 65.7, 59.4),
)
"""SR and SPL on val seen and val unseen."""

TABLE4: tuple[Row, ...] = (
    published_row("memory bank", "64.0", 58.6),
    published_row("memory bank + consistency", 65.7, 59.4),
    published_row("memory bank + word dropping", 64.5, 57.8),
)
"""SR and SPL on val unseen."""

TABLE5: tuple[Row, ...] = (
    published_row("VLN⟲BERT", "41.9 M", "8.6 GB", None, None, 63.3, 57.5),
    published_row("MTVM†*", "41.6 M", "8.4 GB", None, None, 63.6, 58.2),
    published_row("MTVM†", "68.4 M", "17.9 GB", None, None, "64.0", 58.6),
)
"""Parameters, memory, seconds per update and per episode, SR and SPL on val unseen."""
