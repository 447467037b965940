// Formulas as models write them, in LaTeX, as a tree of MathML. What is not known here is left as it was written: a formula
// that is half understood would say something else.

/** @typedef {[tag: string, attributes: Record<string, string>, children: Node[] | string]} Node */

/** Characters of a formula, and levels of its groups, at most. */
const LONGEST = 4000;
const DEEPEST = 40;

/** Letters of names, each beside its character. @param {string} list */
const pairs = (list) => Object.fromEntries(list.trim().split(/\s+/).map((pair) => pair.split(":")));

/** @type {Record<string, string>} */
const LETTERS = pairs("alpha:α beta:β gamma:γ delta:δ epsilon:ϵ varepsilon:ε zeta:ζ eta:η theta:θ vartheta:ϑ iota:ι kappa:κ lambda:λ mu:μ nu:ν xi:ξ pi:π varpi:ϖ rho:ρ varrho:ϱ sigma:σ varsigma:ς tau:τ upsilon:υ phi:ϕ varphi:φ chi:χ psi:ψ omega:ω Gamma:Γ Delta:Δ Theta:Θ Lambda:Λ Xi:Ξ Pi:Π Sigma:Σ Upsilon:Υ Phi:Φ Psi:Ψ Omega:Ω infty:∞ partial:∂ nabla:∇ ell:ℓ hbar:ℏ imath:ı jmath:ȷ Re:ℜ Im:ℑ aleph:ℵ emptyset:∅ varnothing:∅ degree:° dots:… ldots:… cdots:⋯ vdots:⋮ ddots:⋱ prime:′ angle:∠ triangle:△ square:□ checkmark:✓ bot:⊥ top:⊤");
/** @type {Record<string, string>} */
const OPERATORS = pairs("times:× cdot:⋅ div:÷ pm:± mp:∓ ast:∗ star:⋆ circ:∘ bullet:• oplus:⊕ ominus:⊖ otimes:⊗ odot:⊙ le:≤ leq:≤ leqslant:⩽ ge:≥ geq:≥ geqslant:⩾ ne:≠ neq:≠ ll:≪ gg:≫ approx:≈ sim:∼ simeq:≃ cong:≅ equiv:≡ propto:∝ in:∈ notin:∉ ni:∋ subset:⊂ subseteq:⊆ supset:⊃ supseteq:⊇ cup:∪ cap:∩ setminus:∖ land:∧ wedge:∧ lor:∨ vee:∨ lnot:¬ neg:¬ forall:∀ exists:∃ nexists:∄ to:→ rightarrow:→ leftarrow:← gets:← leftrightarrow:↔ Rightarrow:⇒ implies:⟹ Leftarrow:⇐ Leftrightarrow:⇔ iff:⟺ longrightarrow:⟶ mapsto:↦ uparrow:↑ downarrow:↓ perp:⊥ parallel:∥ mid:∣ colon:: therefore:∴ because:∵ models:⊨ vdash:⊢ lfloor:⌊ rfloor:⌋ lceil:⌈ rceil:⌉ langle:⟨ rangle:⟩ lvert:| rvert:| lVert:‖ rVert:‖ vert:| Vert:‖ lbrace:{ rbrace:} lbrack:[ rbrack:] backslash:\\ dagger:† amalg:⨿ asymp:≍ doteq:≐ coloneqq:≔ triangleq:≜");
/** Whose limits stand below and above them in a formula of its own. @type {Record<string, string>} */
const LARGE = pairs("sum:∑ prod:∏ coprod:∐ bigcup:⋃ bigcap:⋂ bigoplus:⨁ bigotimes:⨂ bigvee:⋁ bigwedge:⋀");
/** @type {Record<string, string>} */
const INTEGRALS = pairs("int:∫ iint:∬ iiint:∭ oint:∮");
const NAMES = new Set("sin cos tan cot sec csc arcsin arccos arctan sinh cosh tanh log ln lg exp det dim ker hom arg deg Pr gcd".split(" "));
const LIMITS = new Set("lim max min sup inf limsup liminf argmax argmin".split(" "));
/** @type {Record<string, string>} */
const ACCENTS = pairs("hat:^ widehat:^ bar:¯ overline:¯ tilde:~ widetilde:~ vec:→ overrightarrow:→ dot:˙ ddot:¨ overbrace:⏞");
/** @type {Record<string, string>} */
const BELOW = { underline: "_", underbrace: "⏟" };
/** Widths in em. @type {Record<string, string>} */
const SPACES = { ",": "0.17em", ":": "0.22em", ">": "0.22em", ";": "0.28em", " ": "0.28em", "!": "0em", quad: "1em", qquad: "2em", thinspace: "0.17em", enspace: "0.5em" };
/** Commands that change nothing that is shown here. */
const NOTHING = new Set(["displaystyle", "textstyle", "scriptstyle", "limits", "nolimits", "nonumber", "notag", "big", "Big", "bigg", "Bigg", "bigl", "bigr", "Bigl", "Bigr", "biggl", "biggr", "Biggl", "Biggr", "bigm", "mathstrut", "strut", "hfill", "allowbreak"]);
const WORDS = new Set(["text", "textrm", "textit", "textbf", "textsf", "texttt", "mathrm", "operatorname", "mbox", "mathsf", "mathtt", "mathit", "mathup"]);
/** Fences of an environment, and how its columns stand. @type {Record<string, [string, string, string]>} */
const TABLES = { matrix: ["", "", "center"], smallmatrix: ["", "", "center"], pmatrix: ["(", ")", "center"], bmatrix: ["[", "]", "center"], Bmatrix: ["{", "}", "center"], vmatrix: ["|", "|", "center"], Vmatrix: ["‖", "‖", "center"], array: ["", "", "center"], cases: ["{", "", "left"], aligned: ["", "", "right left"], align: ["", "", "right left"], "align*": ["", "", "right left"], split: ["", "", "right left"], gathered: ["", "", "center"], gather: ["", "", "center"], "gather*": ["", "", "center"], equation: ["", "", "center"], "equation*": ["", "", "center"] };
/** @type {Record<string, string>} */
const DOUBLE = { C: "ℂ", H: "ℍ", N: "ℕ", P: "ℙ", Q: "ℚ", R: "ℝ", Z: "ℤ" };
/** @type {Record<string, string>} */
const SCRIPT = { B: "ℬ", E: "ℰ", F: "ℱ", H: "ℋ", I: "ℐ", L: "ℒ", M: "ℳ", R: "ℛ" };

/** Letters of another alphabet of Unicode. @param {string} text @param {string} alphabet */
const inAlphabet = (text, alphabet) => [...text].map((letter) => {
  const [upper, lower, digit, others] = /** @type {Record<string, [number, number, number, Record<string, string>]>} */ ({ mathbb: [0x1d538, 0x1d552, 0x1d7d8, DOUBLE], mathbf: [0x1d400, 0x1d41a, 0x1d7ce, {}], boldsymbol: [0x1d400, 0x1d41a, 0x1d7ce, {}], mathcal: [0x1d49c, 0, 0, SCRIPT], mathscr: [0x1d49c, 0, 0, SCRIPT] })[alphabet] ?? [0, 0, 0, {}];
  if (others[letter]) return others[letter];
  const at = letter.charCodeAt(0);
  if (upper && /[A-Z]/.test(letter)) return String.fromCodePoint(upper + at - 65);
  if (lower && /[a-z]/.test(letter)) return String.fromCodePoint(lower + at - 97);
  return digit && /\d/.test(letter) ? String.fromCodePoint(digit + at - 48) : letter;
}).join("");
const ALPHABETS = new Set(["mathbb", "mathbf", "boldsymbol", "mathcal", "mathscr"]);

class Unknown extends Error {}

/** @param {string} text @returns {string[]} commands, numbers and characters */
const tokens = (text) => text.match(/\\(?:[A-Za-z]+\*?|[\s\S])|\d+(?:[.,]\d+)*|\s+|[\s\S]/gu) ?? [];

/** @param {Node[]} children @returns {Node} */
const row = (children) => (children.length === 1 && children[0] ? children[0] : ["mrow", {}, children]);
/** @param {string} text @param {Record<string, string>} [more] @returns {Node} */
const operator = (text, more = {}) => ["mo", more, text];

class Reader {
  /** @param {string} source @param {boolean} isBlock */
  constructor(source, isBlock) {
    this.all = tokens(source);
    this.at = 0;
    this.depth = 0;
    this.isBlock = isBlock;
  }

  next() {
    return this.all[this.at] ?? "";
  }

  skip() {
    while (/^\s+$/.test(this.next())) this.at += 1;
  }

  /** The text of a group, as it was written. */
  words() {
    this.skip();
    if (this.next() !== "{") throw new Unknown("words");
    let depth = 0;
    let text = "";
    for (; this.at < this.all.length; this.at += 1) {
      const one = this.next();
      if (one === "{" && (depth += 1) === 1) continue;
      if (one === "}" && (depth -= 1) === 0) {
        this.at += 1;
        return text.replace(/\\([ $%&#_{}])/g, "$1");
      }
      text += one;
    }
    throw new Unknown("group");
  }

  /** A group, or one thing. @returns {Node} */
  group() {
    this.skip();
    const one = this.next();
    // Without braces a group is one digit, not the whole number.
    if (/^\d./.test(one)) {
      this.all[this.at] = one.slice(1);
      return ["mn", {}, one.slice(0, 1)];
    }
    if (one !== "{") return this.atom();
    this.at += 1;
    const children = this.list(["}"]);
    this.at += 1;
    return row(children);
  }

  /** All up to one of these. @param {string[]} ends @returns {Node[]} */
  list(ends) {
    if ((this.depth += 1) > DEEPEST) throw new Unknown("depth");
    /** @type {Node[]} */
    const found = [];
    for (;;) {
      this.skip();
      const one = this.next();
      if (ends.includes(one)) break;
      if (one === "") {
        if (ends.length === 0) break;
        throw new Unknown("end");
      }
      if (one === "}" || one === "&" || one === "\\\\" || one === "\\right" || one === "\\end") throw new Unknown(one);
      found.push(...this.scripted());
    }
    this.depth -= 1;
    return found;
  }

  /** One thing with what stands above and below it. @returns {Node[]} */
  scripted() {
    const one = this.next();
    const name = one.slice(1);
    if (one.startsWith("\\") && NOTHING.has(name)) {
      this.at += 1;
      return [];
    }
    /** @type {Node} */
    const base = one === "^" || one === "_" ? ["mrow", {}, []] : this.atom();
    const isStacked = one.startsWith("\\") && (LIMITS.has(name) || name === "underbrace" || name === "overbrace" || (this.isBlock && name in LARGE));
    /** @type {Node | null} */
    let below = null;
    /** @type {Node | null} */
    let above = null;
    for (;;) {
      this.skip();
      const mark = this.next();
      if (mark === "\\limits" || mark === "\\nolimits") this.at += 1;
      else if (mark === "_" && !below) {
        this.at += 1;
        below = this.group();
      } else if (mark === "^" && !above) {
        this.at += 1;
        above = this.group();
      } else if (mark === "'" && !above) {
        let primes = "";
        for (; this.next() === "'"; this.at += 1) primes += "′";
        above = operator(primes);
      } else break;
    }
    if (below && above) return [[isStacked ? "munderover" : "msubsup", {}, [base, below, above]]];
    if (below) return [[isStacked ? "munder" : "msub", {}, [base, below]]];
    return above ? [[isStacked ? "mover" : "msup", {}, [base, above]]] : [base];
  }

  /** @returns {Node} */
  atom() {
    const one = this.next();
    this.at += 1;
    if (one === "") throw new Unknown("end");
    if (one === "{") {
      this.at -= 1;
      return this.group();
    }
    if (one.startsWith("\\")) return this.command(one.slice(1));
    if (/^\d/.test(one)) return ["mn", {}, one];
    if (/^\p{L}$/u.test(one)) return ["mi", {}, one];
    if (one === "~") return ["mspace", { width: "0.28em" }, []];
    if (/^[#$%\\&]$/.test(one)) throw new Unknown(one);
    return operator({ "-": "−", "*": "∗" }[one] ?? one, "()[]|".includes(one) ? { stretchy: "false" } : {});
  }

  /** @param {string} name @returns {Node} */
  command(name) {
    if (Object.hasOwn(LETTERS, name)) return ["mi", {}, LETTERS[name] ?? ""];
    if (Object.hasOwn(OPERATORS, name)) return operator(OPERATORS[name] ?? "", { stretchy: "false" });
    if (Object.hasOwn(LARGE, name)) return operator(LARGE[name] ?? "", { largeop: "true", movablelimits: "false" });
    if (Object.hasOwn(INTEGRALS, name)) return operator(INTEGRALS[name] ?? "", { largeop: "true" });
    if (NAMES.has(name) || LIMITS.has(name)) return ["mi", { mathvariant: "normal" }, name];
    if (Object.hasOwn(SPACES, name)) return ["mspace", { width: SPACES[name] ?? "" }, []];
    if (/^[{}%$#&_|]$/.test(name)) return operator(name === "|" ? "‖" : name, { stretchy: "false" });
    if (WORDS.has(name)) return ["mtext", {}, this.words().replace(/^ | $/g, "\u00a0")];
    if (ALPHABETS.has(name)) return ["mi", { mathvariant: "normal" }, inAlphabet(this.words(), name)];
    if (Object.hasOwn(ACCENTS, name)) return ["mover", { accent: "true" }, [this.group(), operator(ACCENTS[name] ?? "", { stretchy: /^(over|wide)/.test(name) ? "true" : "false" })]];
    if (Object.hasOwn(BELOW, name)) return ["munder", { accentunder: "true" }, [this.group(), operator(BELOW[name] ?? "", { stretchy: "true" })]];
    switch (name) {
      case "frac":
      case "dfrac":
      case "tfrac":
      case "cfrac":
        return ["mfrac", {}, [this.group(), this.group()]];
      case "binom":
        return ["mrow", {}, [operator("("), ["mfrac", { linethickness: "0" }, [this.group(), this.group()]], operator(")")]];
      case "sqrt":
        return this.root();
      case "left":
        return this.fenced();
      case "begin":
        return this.table();
      case "not":
        return operator(`${this.atom()[2]}\u0338`);
      case "pmod":
        return ["mrow", {}, [operator("("), ["mtext", {}, "mod\u00a0"], this.group(), operator(")")]];
      case "bmod":
      case "mod":
        return ["mtext", {}, "\u00a0mod\u00a0"];
      case "boxed":
        return ["mrow", { class: "boxed" }, [this.group()]];
      case "stackrel":
      case "overset": {
        const above = this.group();
        return ["mover", {}, [this.group(), above]];
      }
      case "underset": {
        const below = this.group();
        return ["munder", {}, [this.group(), below]];
      }
      case "tag":
        return ["mtext", {}, `\u2003(${this.words()})`];
      default:
        throw new Unknown(name);
    }
  }

  /** @returns {Node} */
  root() {
    this.skip();
    if (this.next() !== "[") return ["msqrt", {}, [this.group()]];
    this.at += 1;
    const index = row(this.list(["]"]));
    this.at += 1;
    return ["mroot", {}, [this.group(), index]];
  }

  /** The fence after \left or \right. */
  fence() {
    this.skip();
    const one = this.next();
    this.at += 1;
    if (one === ".") return "";
    if (/^[()[\]|/<>]$/.test(one)) return { "<": "⟨", ">": "⟩" }[one] ?? one;
    const name = one.slice(1);
    if (/^[{}|]$/.test(name)) return name === "|" ? "‖" : name;
    if (one.startsWith("\\") && Object.hasOwn(OPERATORS, name)) return OPERATORS[name] ?? "";
    throw new Unknown(one);
  }

  /** @returns {Node} */
  fenced() {
    const open = this.fence();
    /** @type {Node[]} */
    const inner = [];
    for (;;) {
      inner.push(...this.list(["\\right", "\\middle"]));
      const end = this.next();
      this.at += 1;
      inner.push(operator(this.fence(), { stretchy: "true" }));
      if (end === "\\right") break;
    }
    return ["mrow", {}, [operator(open, { stretchy: "true" }), ...inner]];
  }

  /** @returns {Node} */
  table() {
    const name = this.words();
    const form = Object.hasOwn(TABLES, name) ? TABLES[name] : undefined;
    if (!form) throw new Unknown(name);
    let columns = form[2];
    if (name === "array") columns = [...this.words()].flatMap((one) => ({ l: "left", c: "center", r: "right" })[one] ?? []).join(" ") || "center";
    /** @type {Node[][][]} */
    const rows = [[[]]];
    for (;;) {
      rows.at(-1)?.at(-1)?.push(...this.list(["&", "\\\\", "\\end"]));
      const end = this.next();
      this.at += 1;
      if (end === "\\end") break;
      if (end === "&") rows.at(-1)?.push([]);
      else rows.push([[]]);
    }
    if (this.words() !== name) throw new Unknown(name);
    if (rows.length > 1 && rows.at(-1)?.every((cell) => cell.length === 0)) rows.pop();
    const sides = columns.split(" ");
    /** @type {Node} */
    const table = ["mtable", { class: name.startsWith("align") || name === "split" ? "aligned" : "" }, rows.map((cells) => ["mtr", {}, cells.map((cell, at) => ["mtd", { class: `al-${sides[at % sides.length] ?? "center"}` }, cell])])];
    const [open, close] = form;
    if (!open && !close) return table;
    return ["mrow", {}, [...(open ? [operator(open, { stretchy: "true" })] : []), table, ...(close ? [operator(close, { stretchy: "true" })] : [])]];
  }
}

/**
 * A formula as MathML; null where it is not known what it means.
 * @param {string} source
 * @param {boolean} isBlock it stands by itself
 * @returns {Node | null}
 */
export const formula = (source, isBlock) => {
  if (source.length > LONGEST) return null;
  try {
    const reader = new Reader(source.trim(), isBlock);
    /** @type {Node[]} */
    const lines = [];
    // Lines of a formula that begins no environment.
    for (;;) {
      lines.push(["mrow", {}, reader.list(["", "\\\\"])]);
      if (reader.next() === "") break;
      reader.at += 1;
    }
    const body = lines.length === 1 ? lines : [/** @type {Node} */ (["mtable", {}, lines.map((line) => /** @type {Node} */ (["mtr", {}, [["mtd", {}, [line]]]]))])];
    return ["math", { display: isBlock ? "block" : "inline", alttext: source }, body];
  } catch (error) {
    if (error instanceof Unknown) return null;
    throw error;
  }
};

const MATHML = "http://www.w3.org/1998/Math/MathML";

/** @param {Node} node @returns {Element} */
export const element = ([tag, attributes, children]) => {
  const made = document.createElementNS(MATHML, tag);
  for (const [name, value] of Object.entries(attributes)) if (value) made.setAttribute(name, value);
  if (typeof children === "string") made.textContent = children;
  else made.append(...children.map(element));
  return made;
};
