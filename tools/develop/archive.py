#!/usr/bin/python3
"""Small files that belong together, such as the seeds of a fuzz target, as one archive whose bytes depend on nothing else.

archive.py list ARCHIVE            the size and the name of each file

archive.py add ARCHIVE FILE ...    each file under its own name, in place of one that has it; an archive that is not there is made

archive.py unpack ARCHIVE DIR      the files, in place of what lies in DIR
"""
import io
import pathlib
import shutil
import sys
import tarfile


def read(archive):
    """{name: bytes}"""
    with tarfile.open(archive, "r:") as tar:
        return {member.name: tar.extractfile(member).read() for member in tar}


def packed(files):
    """The bytes of an archive: names in order, no times, no owners."""
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        for name, content in sorted(files.items()):
            member = tarfile.TarInfo(name)
            member.size = len(content)
            tar.addfile(member, io.BytesIO(content))
    return data.getvalue()


def pack(folder, archive):
    """Every file of a folder."""
    files = {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    archive.write_bytes(packed(files))


def unpack(archive, folder):
    shutil.rmtree(folder, ignore_errors=True)
    for name, content in read(archive).items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)


def main(command="", name="", *files):
    archive, files = pathlib.Path(name), [pathlib.Path(file) for file in files]
    if command == "add" and name and files:
        old = read(archive) if archive.exists() else {}
        archive.write_bytes(packed({**old, **{path.name: path.read_bytes() for path in files}}))
    elif command == "list" and archive.is_file() and not files:
        for member, content in read(archive).items():
            print(f"{len(content):8} {member}")
    elif command == "unpack" and archive.is_file() and len(files) == 1:
        unpack(archive, files[0])
    else:
        print(__doc__, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
