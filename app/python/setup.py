"""The wheel: the program as a static binary, and a module that runs it. It has no dependencies. Built by
build.sh.
"""

import os

from setuptools import setup
from wheel.bdist_wheel import bdist_wheel


class ForThisSystem(bdist_wheel):
    """Tags the wheel for any Python 3 on the processor the program was built for."""

    def finalize_options(self):
        super().finalize_options()
        self.root_is_pure = False

    def get_tag(self):
        return "py3", "none", super().get_tag()[2]


setup(
    name="attn-walkthrough",
    version=os.environ["ATTN_VERSION"],
    description="Causal attention, step by step, digit for digit as PyTorch prints it",
    license="MIT",
    python_requires=">=3.9",
    packages=["attn_walkthrough"],
    package_data={"attn_walkthrough": ["attn-walkthrough", "py.typed"]},
    cmdclass={"bdist_wheel": ForThisSystem},
)
