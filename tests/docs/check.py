#!/usr/bin/env python3
"""Checks the book: the README and the pages under docs/.

    tests/docs/check.py PROGRAM [CHECK…]

CHECK is one of readme_is_short, architecture_doc_is_short, changelog_is_short, links_resolve, named_commands_exist,
named_tests_exist, quotes_are_current, docs_examples_run; all of them unless named, and book_links_resolve where ENTRACTE_BOOK
is the folder of the book that mdBook made.

A shell block whose fence says `sh run` is an example that runs, also in a comment of HTML, for what a person does by hand:
the blocks of a page run in order, in a home of their own, with PROGRAM as `entracte`. At the end of a line:

- `# exit 3`: the command ends with this code, not 0;
- `# in another terminal`: it goes on beside the next lines, which wait for its first line.

The ports 8723 and 8900 stand for free ones. A page that begins with `<!-- needs: npm -->` or `postgres` runs where
ENTRACTE_DOCS_NEEDS has that word; Postgres is the server of ENTRACTE_TEST_POSTGRES, whose socket is what a page calls
/var/run/postgresql. A block of `toml config` is a configuration that the program must be able to read. The lines of a block
of `rust FILE` stand in that file, in this order. Standard library only.
"""

import concurrent.futures
import contextlib
import html.parser
import os
import pathlib
import re
import shlex
import shutil
import socket
import subprocess
import sys
import tempfile
import urllib.parse

# ENTRACTE_DOCS_ROOT: an unpacked archive, for the checks that need no sources.
ROOT = pathlib.Path(os.environ.get("ENTRACTE_DOCS_ROOT") or pathlib.Path(__file__).parent.parent.parent).resolve()
README = ROOT / "README.md"
README_LINES = 150
ARCHITECTURE = ROOT / "docs/ARCHITECTURE.md"
ARCHITECTURE_WORDS = 4000
CHANGELOG = ROOT / "CHANGELOG.md"
# Of what is unreleased.
CHANGELOG_LINES = 60
# Longest run of the examples of one page, in seconds.
PAGE_TIMEOUT = 50
# The variables of a person that the examples do not get: keys, settings, and where data are.
KEPT_VARIABLES = ("PATH", "TERM", "TMPDIR")
# How this machine reaches a registry, for pages that need one.
NETWORK_VARIABLES = r"npm_config_\w+|node_extra_ca_certs|https?_proxy|no_proxy|ssl_cert_\w+"
# What pages may need beside the program; each is named in ENTRACTE_DOCS_NEEDS where it is to be had.
NEEDS = ("npm", "postgres")
# Ports of the pages.
PORTS = ("8723", "8900")
# Waits for the first line of what runs in another terminal.
OTHER_TERMINAL = """other_terminals=0
in_another_terminal() {
    other_terminals=$((other_terminals + 1))
    local said="$HOME/terminal-$other_terminals" try
    eval "exec $1" > "$said" 2>&1 &
    for try in $(seq 150); do
        if [ -s "$said" ]; then return; fi
        sleep 0.1
    done
    echo "nothing came from: $1" >&2
    return 1
}"""


def pages():
    return [README, CHANGELOG, *sorted((ROOT / "docs").rglob("*.md"))]


def without_code(text):
    """The text with its code blocks and code spans emptied, line by line as before."""
    lines, fence = [], None
    for line in text.splitlines():
        mark = re.match(r"\s*(```+|~~~+)", line)
        if fence:
            if mark and line.strip().startswith(fence):
                fence = None
            lines.append("")
        elif mark:
            fence = mark.group(1)
            lines.append("")
        else:
            lines.append(line)
    return lines


def slug(heading):
    """The anchor of a heading, as GitHub makes it."""
    heading = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", heading)
    heading = re.sub(r"[^\w\- ]", "", heading.replace("`", "").strip().lower())
    return heading.replace(" ", "-")


def anchors(path):
    found, counts = set(), {}
    text = path.read_text(encoding="utf-8")
    for line in without_code(text):
        heading = re.match(r"#{1,6} +(.*?)(?: +#+)?$", line)
        if heading:
            name = slug(heading.group(1))
            number = counts.get(name, 0)
            counts[name] = number + 1
            found.add(f"{name}-{number}" if number else name)
    found.update(re.findall(r'<a (?:id|name)="([^"]+)"', text))
    return found


def links(path):
    """The links of a page that stay in this repository, with their lines."""
    for number, line in enumerate(without_code(path.read_text(encoding="utf-8")), 1):
        line = re.sub(r"`[^`]*`", lambda span: span.group(0) if "](" in span.group(0) else "``", line)
        for found in re.finditer(r"\]\(\s*<?([^)\s>]+)>?(?:\s+\"[^\"]*\")?\s*\)|(?:src|href)=\"([^\"]+)\"|^\[[^\]]+\]:\s+(\S+)", line):
            target = next(group for group in found.groups() if group)
            if not re.match(r"[a-z][a-z0-9+.-]*:", target):
                yield number, target


def links_resolve():
    faults, count, known = [], 0, {}
    for page in pages():
        for number, target in links(page):
            count += 1
            path, _, anchor = target.partition("#")
            file = (page.parent / path).resolve() if path else page
            place = f"{page.relative_to(ROOT)}:{number}"
            if not file.exists():
                faults.append(f"{place}: there is no {target}")
            elif anchor and file.suffix == ".md":
                if file not in known:
                    known[file] = anchors(file)
                if anchor not in known[file]:
                    faults.append(f"{place}: {path or 'this page'} has no heading #{anchor}")
    listed = {(ROOT / "docs" / target.partition("#")[0]).resolve() for _, target in links(ROOT / "docs/SUMMARY.md")}
    for page in sorted((ROOT / "docs").rglob("*.md")):
        if page.name != "SUMMARY.md" and page.resolve() not in listed:
            faults.append(f"docs/SUMMARY.md does not list {page.relative_to(ROOT)}")
    return faults, f"{count} links"


class HtmlLinks(html.parser.HTMLParser):
    """The ids of a page of the book, and where it leads."""

    def __init__(self, text):
        super().__init__()
        self.ids, self.targets = set(), []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if name == "id":
                self.ids.add(value)
            elif name in ("href", "src") and tag in ("a", "img") and value:
                self.targets.append(value)


def book_links_resolve():
    """What mdBook made of docs/, in the folder ENTRACTE_BOOK: pages, their headings, pictures."""
    folder = pathlib.Path(os.environ["ENTRACTE_BOOK"]).resolve()
    made = {path: HtmlLinks(path.read_text(encoding="utf-8")) for path in folder.rglob("*.html")}
    faults, count = [], 0
    for path, page in sorted(made.items()):
        if path.name in ("404.html", "print.html", "toc.html"):
            continue
        for target in page.targets:
            if re.match(r"[a-z][a-z0-9+.-]*:", target):
                continue
            count += 1
            name, _, anchor = target.partition("#")
            file = (path.parent / urllib.parse.unquote(name)).resolve() if name else path
            if not file.exists():
                faults.append(f"{path.relative_to(folder)}: there is no {target}")
            elif anchor and file in made and urllib.parse.unquote(anchor) not in made[file].ids:
                faults.append(f"{path.relative_to(folder)}: {name or 'this page'} has no heading #{anchor}")
    if len(made) < len(list((ROOT / "docs").rglob("*.md"))) - 1:
        faults.append(f"the book has {len(made)} pages, fewer than docs/")
    return faults, f"{count} links of {len(made)} pages"


def readme_is_short():
    lines = len(README.read_text(encoding="utf-8").splitlines())
    faults = [f"README.md has {lines} lines; it may have {README_LINES}"] if lines > README_LINES else []
    return faults, f"{lines} lines"


def architecture_doc_is_short():
    words = len(ARCHITECTURE.read_text(encoding="utf-8").split())
    fault = f"docs/ARCHITECTURE.md has {words} words; it may have {ARCHITECTURE_WORDS}: tests go to INVARIANTS.md, modules to their crates"
    return [fault] if words > ARCHITECTURE_WORDS else [], f"{words} words"


def changelog_is_short():
    """What is unreleased is for readers; what stands nowhere else goes to docs/reference/changes.md."""
    sections = re.split(r"^(?=## )", CHANGELOG.read_text(encoding="utf-8"), flags=re.M)
    lines = sum(len(section.rstrip().splitlines()) for section in sections if section.startswith("## [Unreleased]"))
    fault = f"what is unreleased has {lines} lines in CHANGELOG.md; it may have {CHANGELOG_LINES}: details go to docs/reference/changes.md"
    return [fault] if lines > CHANGELOG_LINES else [], f"{lines} lines"


def known_commands():
    """The options of each command, by its path, as the page of commands lists them, and whether a value follows each."""
    commands, path = {}, None
    for line in (ROOT / "docs/reference/commands.md").read_text(encoding="utf-8").splitlines():
        heading = re.match(r"##+ entracte (.+)$", line)
        if heading or line == "## Global options":
            path = tuple(heading.group(1).split()) if heading else ()
            commands[path] = {"--help": False, "-h": False}
        elif path is not None and (found := re.match(r"\s*((?:-\w, )?--[\w-]+|-\w)( <)?", line)):
            commands[path].update(dict.fromkeys(found.group(1).split(", "), bool(found.group(2))))
    return commands


def named_commands(path):
    """The commands that a page names, in shell blocks and code spans: line, and what follows `entracte`."""
    fence = None
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        mark = re.match(r"\s*```(\w*)", line)
        if mark:
            fence = None if fence is not None else mark.group(1)
        elif fence == "sh":
            for found in re.finditer(r"(?:^|[|(&;]|[A-Z_]+=\S+)\s*entracte +([^|)#;&]*)", line):
                yield number, found.group(1)
        elif fence is None:
            for found in re.finditer(r"`entracte +([^`]*)`", line):
                yield number, found.group(1)


def named_commands_exist():
    """A command that no example runs may still not be one that is gone, nor have an option that is gone."""
    commands, faults, count = known_commands(), [], 0
    groups = {path[:-1] for path in commands if path}
    for page in pages():
        if page.name in ("changes.md", "CHANGELOG.md"):
            continue
        for number, text in named_commands(page):
            count += 1
            path, words = (), re.sub(r"'[^']*'|\"[^\"]*\"", "VALUE", text).split()
            while words:
                word = words.pop(0)
                if path in groups and re.fullmatch(r"[a-z][a-z-]*", word):
                    path += (word,)
                    if path not in commands:
                        faults.append(f"{page.relative_to(ROOT)}:{number}: there is no command entracte {' '.join(path)}")
                        break
                elif re.fullmatch(r"--?[a-z][a-z-]*(=.*)?", word):
                    name, given, _ = word.partition("=")
                    options = commands[()] | commands[path]
                    if name not in options and name not in ("--version", "-V"):
                        faults.append(f"{page.relative_to(ROOT)}:{number}: entracte {' '.join(path)} has no option {word}")
                    elif options.get(name) and not given:
                        words[:1] = []
    return faults, f"{count} commands"


# Pages that say by which tests a promise is held.
PAGES_OF_TESTS = ("docs/INVARIANTS.md", "docs/SECURITY.md", "docs/questions.md")


def sources(*endings):
    """The files of ours that end like this, without what is built or installed."""
    skipped = {"target", "node_modules", ".git", ".python", "fixtures", "vendor"}
    for folder, folders, names in os.walk(ROOT):
        folders[:] = [name for name in folders if name not in skipped]
        yield from (pathlib.Path(folder, name) for name in names if name.endswith(endings))


def named_tests_exist():
    """A test that a page names by three words or more is a function, or a story of the console; a file of tests is there.
    Names of settings have as many words."""
    functions, files = set(re.findall(r"\w+", (ROOT / "docs/reference/settings.md").read_text(encoding="utf-8"))), set()
    for path in sources(".rs", ".mjs", ".py"):
        files.add(path.name)
        text = path.read_text(encoding="utf-8", errors="replace")
        functions.update(re.findall(r"\bfn ([a-z0-9_]+)", text) if path.suffix == ".rs" else re.findall(r"\w+", text))
    faults, count = [], 0
    for page in filter(pathlib.Path.exists, (ROOT / name for name in PAGES_OF_TESTS)):
        for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), 1):
            for name in re.findall(r"`([\w/.-]+)`|test\(([\w]+)\)", line):
                name = name[0] or name[1]
                if name.endswith(".rs"):
                    known = name.rpartition("/")[2] in files
                elif re.fullmatch(r"[a-z0-9]+(_[a-z0-9]+){2,}", name):
                    known = name in functions
                else:
                    continue
                count += 1
                if not known:
                    faults.append(f"{page.relative_to(ROOT)}:{number}: there is no test {name}")
    return faults, f"{count} tests"


def examples(path):
    """The blocks of a page that are tried: the line of each, and its lines of shell."""
    blocks, block = [], None
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if block is not None:
            if line.strip() == "```":
                blocks.append((block[0], block[2] if block[1] == "sh run" else configuration(block[2])))
                block = None
            else:
                block[2].append(line)
        else:
            fence = re.match(r"```(sh run|toml config)\s*$", line)
            if fence:
                block = (number, fence.group(1), [])
    if block is not None:
        sys.exit(f"{path}:{block[0]}: this block has no end")
    return blocks


def configuration(lines):
    """The shell lines that read a configuration, from a file that no other example reads."""
    return ["cat > ../example.toml <<'END_OF_EXAMPLE'", *lines, "END_OF_EXAMPLE", "entracte --config ../example.toml config show"]


def script_of(blocks):
    """The blocks as one script of bash. It writes the line of each block that begins to descriptor 9."""
    out = ["set -euo pipefail", OTHER_TERMINAL]
    for number, lines in blocks:
        heredoc, continued = None, False
        for offset, line in enumerate(lines, 1):
            if continued:
                continued = line.endswith("\\")
            elif heredoc is None:
                continued = line.endswith("\\")
                out.append(f"echo {number + offset} >&9")
                code = re.match(r"(.*?)\s+# exit (\d+)\b.*$", line)
                if code:
                    wrong = f'echo "it ended with $code, the page says {code.group(2)}" >&2; exit 1'
                    line = f"code=0; {{ {code.group(1)} ; }} || code=$?; [ $code = {code.group(2)} ] || {{ {wrong}; }}"
                other = re.match(r"(.*?)\s+# in another terminal\b.*$", line)
                if other:
                    line = f"in_another_terminal {shlex.quote(other.group(1))}"
                begin = re.search(r"<<'?(\w+)'?", line)
                heredoc = begin.group(1) if begin else None
            elif line.strip() == heredoc:
                heredoc = None
            out.append(line)
    return "\n".join(out) + "\n"


def needs(path):
    """What a page needs beside the program."""
    with open(path, encoding="utf-8") as page:
        found = re.match(r"<!-- needs: ([\w ,]+) -->", page.readline())
    return found.group(1).replace(",", " ").split() if found else []


def free_ports(count):
    with contextlib.ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(count)]
        for one in sockets:
            one.bind(("127.0.0.1", 0))
        return [str(one.getsockname()[1]) for one in sockets]


def postgres_environment(url):
    """The variables of libpq for the server of a URL, which `.ci/postgres` prints or somebody gave."""
    parts = urllib.parse.urlsplit(url)
    folder = urllib.parse.parse_qs(parts.query).get("host", [None])[0]
    host, port = folder or parts.hostname, parts.port and str(parts.port)
    return {"PGUSER": parts.username, "PGPASSWORD": parts.password, "PGHOST": host, "PGPORT": port}


def drop_database(environment):
    """Drops the database that the page of a team makes."""
    subprocess.run(["dropdb", "--if-exists", "--force", "team"], env=environment, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)


def run_page(path, program):
    blocks = examples(path)
    if not blocks:
        return [], 0
    lacks = [need for need in needs(path) if need not in os.environ.get("ENTRACTE_DOCS_NEEDS", "").split()]
    if lacks:
        print(f"NOT RUN: {path.relative_to(ROOT)}, which needs {' and '.join(lacks)}", file=sys.stderr)
        return [], 0
    place = path.relative_to(ROOT)
    home = pathlib.Path(tempfile.mkdtemp(prefix="entracte-docs-"))
    try:
        (home / "bin").mkdir()
        (home / "bin/entracte").symlink_to(program)
        (home / "work").mkdir()
        environment = {name: os.environ[name] for name in KEPT_VARIABLES if name in os.environ}
        environment.update(HOME=str(home), USER="ann", LC_ALL="C.UTF-8", PATH=f"{home / 'bin'}:{environment['PATH']}")
        script = script_of(blocks)
        if "npm" in needs(path):
            environment.update({name: value for name, value in os.environ.items() if re.fullmatch(NETWORK_VARIABLES, name, re.I)})
            environment.setdefault("npm_config_cache", os.path.expanduser("~/.npm"))
            environment.setdefault("npm_config_userconfig", os.path.expanduser("~/.npmrc"))
        if "postgres" in needs(path):
            found = postgres_environment(os.environ.get("ENTRACTE_TEST_POSTGRES", ""))
            environment.update({name: value for name, value in found.items() if value})
            script = script.replace("/var/run/postgresql", environment.get("PGHOST", "/var/run/postgresql"))
            # An earlier run may have been cut off.
            drop_database(environment)
        for port, free in zip(PORTS, free_ports(len(PORTS))):
            script = re.sub(rf"\b{port}\b", free, script)
        (home / "page.sh").write_text(script, encoding="utf-8")
        said = home / "said"
        with open(said, "wb") as out:
            process = subprocess.Popen(["bash", "-c", 'exec 9>"$HOME/lines"; source "$HOME/page.sh"'], cwd=home / "work",
                                       env=environment, stdin=subprocess.DEVNULL, stdout=out, stderr=out, start_new_session=True)
            try:
                code = process.wait(PAGE_TIMEOUT)
            except subprocess.TimeoutExpired:
                code = f"no end within {PAGE_TIMEOUT} s"
            finally:
                # What an example began in the background ends with its page.
                try:
                    os.killpg(process.pid, 9)
                except ProcessLookupError:
                    pass
                process.wait()
        if "postgres" in needs(path):
            drop_database(environment)
        if code == 0:
            return [], len(blocks)
        reached = (home / "lines").read_text().split()[-1:] or ["?"]
        last = "\n".join(said.read_text(encoding="utf-8", errors="replace").splitlines()[-15:])
        return [f"{place}:{reached[0]}: this example ended with {code}:\n{last}"], len(blocks)
    finally:
        shutil.rmtree(home, ignore_errors=True)


def quotes_are_current():
    """The lines of a block of `rust FILE` stand in that file, in this order; `// …` stands for what is left out."""
    faults, count = [], 0
    for page in pages():
        quoted, begun = None, 0
        for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), 1):
            fence = re.match(r"```rust (\S+\.rs)\s*$", line)
            if quoted is None and fence:
                count += 1
                source = ROOT / fence.group(1)
                if not source.exists():
                    faults.append(f"{page.relative_to(ROOT)}:{number}: there is no {fence.group(1)}")
                quoted = iter([text.strip() for text in source.read_text(encoding="utf-8").splitlines()] if source.exists() else [])
                begun = len(faults)
            elif quoted is not None and line.strip() == "```":
                quoted = None
            elif quoted is not None and len(faults) == begun and line.strip() and line.strip() != "// …":
                if line.strip() not in quoted:
                    faults.append(f"{page.relative_to(ROOT)}:{number}: the file does not say this, or not here: {line.strip()}")
    return faults, f"{count} quotes"


def docs_examples_run(program):
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        results = list(pool.map(lambda page: run_page(page, program), pages()))
    count = sum(blocks for _, blocks in results)
    faults = [fault for found, _ in results for fault in found]
    if not count:
        faults.append("no page has an example that runs")
    return faults, f"{count} examples"


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    program = pathlib.Path(sys.argv[1]).resolve()
    if not os.access(program, os.X_OK):
        sys.exit(f"there is no program {sys.argv[1]}")
    checks = {
        "readme_is_short": readme_is_short,
        "architecture_doc_is_short": architecture_doc_is_short,
        "changelog_is_short": changelog_is_short,
        "links_resolve": links_resolve,
        "named_commands_exist": named_commands_exist,
        "named_tests_exist": named_tests_exist,
        "quotes_are_current": quotes_are_current,
        "docs_examples_run": lambda: docs_examples_run(program),
    }
    if "ENTRACTE_BOOK" in os.environ:
        checks["book_links_resolve"] = book_links_resolve
    chosen = sys.argv[2:] or list(checks)
    status = 0
    for name in chosen:
        if name not in checks:
            sys.exit(__doc__)
        faults, counted = checks[name]()
        for fault in faults:
            print(f"{name}: {fault}", file=sys.stderr)
        print(f"{name}: {'FAILED' if faults else 'ok'}, {counted}")
        status = status or int(bool(faults))
    sys.exit(status)


if __name__ == "__main__":
    main()
