"""What each process does for `test_lost_process.py`: they meet until one of them ends without a word."""

import os
import sys

import torch

from mtvm.errors import InputError
from mtvm.learning import parallel

parallel.start("cpu")
assert int(parallel.total(torch.ones(1))) == parallel.size()
if parallel.rank() == int(sys.argv[1]):
    os._exit(9)
try:
    for _ in range(10):
        parallel.total(torch.ones(1))
        parallel.gather("here")
except InputError as error:
    print(error)
    parallel.finish()
    os._exit(3)
