import { CST, Lexer } from 'yaml'

/**
 * Deeper than any manifest; the exact limit is checked later, this one keeps the recursive parser off the stack's end.
 */
const NESTING_MAX = 128
const ANCHORS_MAX = 1000
const ALIASES_MAX = 100
/** Tags and directives: nearly all are errors, and each error costs a stack trace. */
const TAGS_MAX = 100
/** About 17,000 lines of a manifest, which take a fifth of a second on an idle core. */
export const LEXEMES_MAX = 125_000

export interface Comment {
  offset: number
  text: string
}

/** The text asks for more work than any manifest needs. */
export class LexemeLimit extends Error {
  override readonly name = 'LexemeLimit'
  readonly of: 'nesting' | 'aliases' | 'tags' | 'lexemes'
  readonly offset: number
  constructor(of: LexemeLimit['of'], offset: number) {
    super(of)
    this.of = of
    this.offset = offset
  }
}

/**
 * Yields the lexemes of a YAML text for the parser. Stops at the first that leads to unbounded work: the lexer keeps no
 * stack, so this counts nesting, anchors and aliases before any recursive code sees them. Block nesting is bounded by
 * the columns where open collections may have begun: each line closes the collections that began at its column or to
 * the right of it. The lines of a block scalar do not count.
 *
 * @param comments receives every comment
 * @throws LexemeLimit
 */
export function* guardedLexemes(source: string, comments: Comment[]): Generator<string> {
  let offset = 0
  let lineStart = 0
  let flowDepth = 0
  let isScalar = false
  let isBlockScalar = false
  let isFirstOfLine = true
  let anchors = 0
  let aliases = 0
  let tags = 0
  let lexemes = 0
  const columns: number[] = []

  for (const lexeme of new Lexer().lex(source)) {
    if (++lexemes > LEXEMES_MAX) throw new LexemeLimit('lexemes', offset)
    const type = isScalar ? 'scalar-source' : CST.tokenType(lexeme)
    isScalar = false
    if (type === 'scalar') {
      isScalar = true
      yield lexeme
      continue
    }
    if (type === 'doc-mode' || type === 'flow-error-end') {
      flowDepth = 0
      yield lexeme
      continue
    }
    if (type === 'comment') comments.push({ offset, text: lexeme })
    else if (type === 'anchor' && ++anchors > ANCHORS_MAX) throw new LexemeLimit('aliases', offset)
    else if (type === 'alias' && ++aliases > ALIASES_MAX) throw new LexemeLimit('aliases', offset)
    else if ((type === 'tag' || type === 'directive-line') && ++tags > TAGS_MAX) throw new LexemeLimit('tags', offset)

    if (type === 'flow-map-start' || type === 'flow-seq-start') flowDepth++
    else if (type === 'flow-map-end' || type === 'flow-seq-end') flowDepth = Math.max(0, flowDepth - 1)
    else if (flowDepth === 0 && type !== 'space' && type !== 'newline' && type !== 'comment' && !isBlockScalar) {
      const column = offset - lineStart
      if (isFirstOfLine) while (columns.length > 0 && (columns.at(-1) ?? -1) >= column) columns.pop()
      isFirstOfLine = false
      columns.push(column)
    }
    if (type === 'block-scalar-header') isBlockScalar = true
    else if (type === 'scalar-source') isBlockScalar = false
    if (columns.length + flowDepth > NESTING_MAX) throw new LexemeLimit('nesting', offset)

    const newline = lexeme.lastIndexOf('\n')
    if (newline >= 0) {
      lineStart = offset + newline + 1
      isFirstOfLine = true
    }
    offset += lexeme.length
    yield lexeme
  }
}
