"""For pytest: pytest test_my_npu.py --tensor-cts-suite SUITE. One test per case; the fixture is mine."""
import pytest

from my_npu import execute


@pytest.fixture(scope="session")
def npu():
    return execute  # open the device here


def test_conformance(tensor_cts_case, npu):
    tensor_cts_case.run(npu)
