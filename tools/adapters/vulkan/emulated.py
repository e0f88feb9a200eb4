#!/usr/bin/python3
"""Where a driver and Arm's emulation layer lie, as the loader of Vulkan wants to be told.

    eval "$(emulated.py SITE_PACKAGES/emulation_layer/deploy FOLDER [--keep-glslang] [--driver=MANIFEST])"

copies the two manifests into FOLDER and prints the variables to set. With --keep-glslang the Tensor layer is a copy
whose glslang is never shut down: the layer starts it anew for every shader, which is most of the time of a case. The driver is Mesa's for the CPU, or the one of MANIFEST.
"""
import json
import pathlib
import struct
import sys

LAYERS = ("Graph", "Tensor")  # Graph lies above Tensor
DRIVER = pathlib.Path("/usr/share/vulkan/icd.d/lvp_icd.x86_64.json")


FINALIZE = b"_ZN7glslang15FinalizeProcessEv"
RETURN = b"\x31\xc0\xc3"  # xor eax, eax; ret


def keeping_glslang(library, target):
    """Copies the library with glslang's shutdown made to return at once. False: it has no such function to be found."""
    data = bytearray(library.read_bytes())
    if data[:6] != b"\x7fELF\x02\x01":
        return False
    (table,) = struct.unpack_from("<Q", data, 0x28)
    size, count = struct.unpack_from("<HH", data, 0x3A)
    # name, type, flags, address, offset, size, link, info, alignment, size of an entry
    sections = [struct.unpack_from("<IIQQQQIIQQ", data, table + i * size) for i in range(count)]
    for symbols in (section for section in sections if section[1] == 2):
        names = sections[symbols[6]][4]
        for entry in range(symbols[4], symbols[4] + symbols[5], 24):
            name, _, _, owner, address, _ = struct.unpack_from("<IBBHQQ", data, entry)
            if not data.startswith(FINALIZE + b"\0", names + name) or owner >= count:
                continue
            place = address - sections[owner][3] + sections[owner][4]
            data[place:place + len(RETURN)] = RETURN
            target.write_bytes(data)
            return True
    return False


def variables(deploy, folder, keep_glslang=False, driver=DRIVER):
    """The variables by name. A folder for each manifest: within one, loaders take any order."""
    folders = []
    for layer in LAYERS:
        source = pathlib.Path(deploy) / f"share/vulkan/explicit_layer.d/VkLayer_{layer}.json"
        manifest = json.loads(source.read_text())
        library = pathlib.Path(deploy) / f"lib/libVkLayer_{layer}.so"
        manifest["layer"]["library_path"] = str(library.resolve())
        target = pathlib.Path(folder) / layer.lower()
        target.mkdir(parents=True, exist_ok=True)
        if keep_glslang and layer == "Tensor":
            copy = target.resolve() / library.name
            if keeping_glslang(library, copy):
                manifest["layer"]["library_path"] = str(copy)
            else:
                print(f"{library}: found no glslang to keep; it is used as it is", file=sys.stderr)
        (target / source.name).write_text(json.dumps(manifest))
        folders.append(str(target.resolve()))
    return {"VK_LAYER_PATH": ":".join(folders),
            "VK_INSTANCE_LAYERS": ":".join(f"VK_LAYER_ML_{layer}_Emulation" for layer in LAYERS),
            "VK_ICD_FILENAMES": str(driver), "VK_DRIVER_FILES": str(driver)}


if __name__ == "__main__":
    options, given = [a for a in sys.argv[1:] if a.startswith("--")], [a for a in sys.argv[1:] if not a.startswith("--")]
    drivers = [pathlib.Path(option.removeprefix("--driver=")) for option in options if option.startswith("--driver=")]
    if len(given) != 2 or len(options) != len(drivers) + options.count("--keep-glslang"):
        print(__doc__.strip(), file=sys.stderr)
        sys.exit(2)
    if not (pathlib.Path(given[0]) / "lib").is_dir():
        print(f"emulated.py: {given[0]}: no such folder; install it: vulkan/bin/pip install --require-hashes "
              "-r tools/adapters/vulkan/requirements.txt", file=sys.stderr)  # fmt: skip
        sys.exit(2)
    driver = drivers[-1] if drivers else DRIVER
    if not driver.exists():
        advice = "give the manifest of a driver" if drivers else "install it: apt-get install mesa-vulkan-drivers"
        print(f"emulated.py: {driver}: no such file; {advice}", file=sys.stderr)
        sys.exit(2)
    for name, value in variables(*given, "--keep-glslang" in options, driver).items():
        print(f"export {name}='{value}'")
