"""Compares a model with the engine: `python3 run_onnx.py MODEL ROWS COLUMNS`, beside the files that onnx.rs writes.

`planes`, `policy` and `margins` hold 32-bit floats, the first two with the channels of a cell side by side.
"""

import sys

import numpy as np
import onnx
import onnxruntime

path, rows, columns = sys.argv[1], int(sys.argv[2]) + 1, int(sys.argv[3]) + 1
onnx.checker.check_model(path, full_check=True)
session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
(planes_of_model,) = session.get_inputs()
assert planes_of_model.name == "planes" and planes_of_model.shape[0] == "batch", planes_of_model
assert [output.name for output in session.get_outputs()] == ["policy", "margins"]
assert session.get_modelmeta().custom_metadata_map["format"] == "doublecross"


def cells(name):
    """The numbers of a file as `[position, channel, row, column]`."""
    channels = planes_of_model.shape[1] if name == "planes" else 2
    return np.fromfile(name, "<f4").reshape(-1, rows, columns, channels).transpose(0, 3, 1, 2)


planes, policy = cells("planes"), cells("policy")
margins = np.fromfile("margins", "<f4")
# Batches of one, of some, and of the rest.
found = [session.run(None, {"planes": part}) for part in np.split(np.ascontiguousarray(planes), [1, 8])]
found_policy, found_margins = (np.concatenate(parts) for parts in zip(*found))
assert np.ptp(policy) > 1, "policies that say nothing cannot be compared"
np.testing.assert_allclose(found_policy, policy, atol=2e-3, rtol=1e-4)
if margins.size:
    np.testing.assert_allclose(found_margins, margins.reshape(found_margins.shape), atol=2e-3, rtol=1e-4)
print(f"{len(planes)} positions agree, to {np.abs(found_policy - policy).max():.1e}")
