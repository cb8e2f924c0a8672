"""What the comparisons with others need: an environment of their own with the peers, and the name of the machine."""

import importlib.metadata
import os
import platform
import resource
import shutil
import subprocess
import tempfile
import venv
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).parents[1]
CRATES = Path("/usr/share/cargo/registry")


def run_installed(
    script: str, arguments: Sequence[str], distributions: Iterable[str], *, npm: Sequence[str] = ()
) -> int:
    """Run *script* in a new virtual environment with urlmend and *distributions*; return its exit status.

    The packages *npm* are put into the same folder, where the script finds them below `sys.prefix`. A peer that cannot
    be installed is left out: the script tells.
    """
    with tempfile.TemporaryDirectory() as folder:
        venv.create(folder, with_pip=True)
        python = str(Path(folder, "bin", "python"))
        install = [python, "-m", "pip", "install", "-q"]
        subprocess.run([*install, str(ROOT)], check=True)  # noqa: S603 -- made here, of names written here
        for name in distributions:
            subprocess.run([*install, name], check=False)  # noqa: S603 -- as above
        if npm and shutil.which("npm"):
            subprocess.run(["npm", "install", "--silent", "--prefix", folder, *npm], check=False)  # noqa: S603, S607
        return subprocess.run([python, script, *arguments], check=False).returncode  # noqa: S603 -- as above


@contextmanager
def sources_of(revision: str) -> Iterator[Path]:
    """Provide the folder `src` of the git *revision* of this checkout, or of the checkout in the folder *revision*.

    The folder `tests` is beside it.
    """
    if Path(revision, "src").is_dir():
        yield Path(revision, "src")
        return
    with tempfile.TemporaryDirectory() as folder:
        command = ["git", "archive", revision, "src", "tests"]
        archive = subprocess.run(command, cwd=ROOT, check=True, capture_output=True)  # noqa: S603
        subprocess.run(["tar", "--extract", "--directory", folder], input=archive.stdout, check=True)  # noqa: S603, S607
        yield Path(folder, "src")


def machine(distributions: Iterable[str]) -> str:
    """Return the machine's processor and the versions that ran."""
    model = platform.processor() or platform.machine()
    information = Path("/proc/cpuinfo")
    if information.exists():
        lines = information.read_text("utf-8").splitlines()
        model = next((line.partition(": ")[2] for line in lines if line.startswith("model name")), model)
    versions = [f"{platform.python_implementation()} {platform.python_version()}"]
    versions += [f"{name} {version}" for name in distributions if (version := installed_version(name))]
    return f"{model}, {os.cpu_count()} CPUs, {platform.system()} {platform.machine()}; {', '.join(versions)}"


def installed_version(distribution: str) -> str:
    """Return the version of *distribution*, or nothing where it is not installed."""
    try:
        return importlib.metadata.version(distribution)
    except importlib.metadata.PackageNotFoundError:
        return ""


def uri_find_version() -> str:
    """Return the version of Perl's URI::Find; `FileNotFoundError` where it is not installed."""
    command = ["perl", "-MURI::Find", "-e", "print $URI::Find::VERSION"]
    asked = subprocess.run(command, check=False, capture_output=True, text=True)  # noqa: S603
    if asked.returncode:
        raise FileNotFoundError("Debian package liburi-find-perl")
    return asked.stdout


def linkify_version() -> str:
    """Return the version of Rust's linkify as Debian has it; `FileNotFoundError` where it cannot be built."""
    linkify = next(CRATES.glob("linkify-*"), None)
    if linkify is None or not shutil.which("cargo"):
        raise FileNotFoundError("Debian packages librust-linkify-dev and cargo")
    return linkify.name.removeprefix("linkify-")


def built_with_linkify(program: str) -> Path:
    """Build the Rust *program*, which uses linkify, from Debian's sources and without a network."""
    project = Path(tempfile.mkdtemp())
    (project / "src").mkdir()
    (project / ".cargo").mkdir()
    (project / ".cargo/config.toml").write_text(
        f'[source.crates-io]\nreplace-with = "debian"\n[source.debian]\ndirectory = "{CRATES}"\n'
    )
    (project / "Cargo.toml").write_text(
        '[package]\nname = "finder"\nversion = "0.1.0"\nedition = "2021"\n'
        f'[dependencies]\nlinkify = "{linkify_version()}"\n'
    )
    (project / "src/main.rs").write_text(program)
    built = subprocess.run(["cargo", "build", "-q", "--release", "--offline"], cwd=project, check=False)  # noqa: S607
    if built.returncode:
        raise FileNotFoundError("linkify did not build")
    return project / "target/release/finder"


def xurls_version() -> str:
    """Return the version of Go's xurls as Debian has it; `FileNotFoundError` where it cannot be built."""
    package = "golang-mvdan-xurls-dev"
    if not (shutil.which("go") and shutil.which("dpkg-query")):
        raise FileNotFoundError(f"Debian packages {package} and golang-go")
    query = ["dpkg-query", "--show", "--showformat=${Version}", package]
    return subprocess.run(query, check=False, capture_output=True, text=True).stdout  # noqa: S603 -- as written here


def built_with_xurls(program: str) -> Path:
    """Build the Go *program*, which uses xurls, from Debian's sources and without a network."""
    xurls_version()
    project = Path(tempfile.mkdtemp())
    (project / "finder.go").write_text(program)
    environment = {**os.environ, "GO111MODULE": "off", "GOPATH": "/usr/share/gocode", "GOCACHE": str(project / "cache")}
    built = subprocess.run(["go", "build", "finder.go"], cwd=project, env=environment, check=False)  # noqa: S607
    if built.returncode:
        raise FileNotFoundError("xurls did not build")
    return project / "finder"


def peak_memory() -> float:
    """Return the most memory that this process had since it was started, in MB.

    `getrusage` would tell that of the process which started this one, where that is more.
    """
    status = Path("/proc/self/status")
    if not status.exists():
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3
    (line,) = (line for line in status.read_text("ascii").splitlines() if line.startswith("VmHWM:"))
    return int(line.split()[1]) * 1024 / 1e6
