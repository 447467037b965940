export class Lexer {
  constructor(options: { gfm: boolean; breaks: boolean; extensions?: object });
  lex(text: string): any[];
}
