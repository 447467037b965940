export class Lexer {
  constructor(options: { gfm: boolean; breaks: boolean });
  lex(text: string): any[];
}
