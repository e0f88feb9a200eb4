#!/usr/bin/python3
"""Where Mesa's driver for the CPU and Arm's emulation layer lie, as the loader of Vulkan wants to be told.

    eval "$(emulated.py SITE_PACKAGES/emulation_layer/deploy FOLDER)"

copies the two manifests into FOLDER and prints the variables to set.
"""
import json
import pathlib
import sys

LAYERS = ("Graph", "Tensor")  # Graph lies above Tensor
DRIVER = pathlib.Path("/usr/share/vulkan/icd.d/lvp_icd.x86_64.json")


def variables(deploy, folder):
    """The variables by name. A folder for each manifest: within one, loaders take any order."""
    folders = []
    for layer in LAYERS:
        source = pathlib.Path(deploy) / f"share/vulkan/explicit_layer.d/VkLayer_{layer}.json"
        manifest = json.loads(source.read_text())
        library = pathlib.Path(deploy) / f"lib/libVkLayer_{layer}.so"
        manifest["layer"]["library_path"] = str(library.resolve())
        target = pathlib.Path(folder) / layer.lower()
        target.mkdir(parents=True, exist_ok=True)
        (target / source.name).write_text(json.dumps(manifest))
        folders.append(str(target.resolve()))
    return {"VK_LAYER_PATH": ":".join(folders),
            "VK_INSTANCE_LAYERS": ":".join(f"VK_LAYER_ML_{layer}_Emulation" for layer in LAYERS),
            "VK_ICD_FILENAMES": str(DRIVER), "VK_DRIVER_FILES": str(DRIVER)}


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    for name, value in variables(*sys.argv[1:]).items():
        print(f"export {name}='{value}'")
