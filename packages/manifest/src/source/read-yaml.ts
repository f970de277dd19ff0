import { Composer, type Document, LineCounter, Parser } from 'yaml'
import { badCharacter } from './bad-character.ts'
import { type Comment, guardedLexemes, LEXEMES_MAX, LexemeLimit } from './lexeme-guard.ts'
import { locate, type Position } from './locate.ts'
import type { Located } from './located.ts'
import { DEEP, FLATTEN, WRITE_OUT, type YamlProblem, type YamlRule } from './yaml-problem.ts'

export const YAML_BYTES_MAX = 2 * 1024 * 1024

export interface YamlText {
  /** The document; `undefined` where there are problems. An empty document is an empty map. */
  root: Located | undefined
  comments: { line: number; text: string; ownLine: boolean }[]
  problems: YamlProblem[]
}

/**
 * Reads one YAML 1.2 document (core schema, text keys) into values that know their place.
 *
 * Every input is hostile: size, characters, nesting, anchors and aliases are bounded before the recursive parser
 * runs; aliases are expanded within a budget; unknown tags are errors. Uniqueness of keys is checked here and not by
 * the parser, whose check takes time quadratic in the number of keys.
 */
export function readYaml(text: string): YamlText {
  const source = text.startsWith('\uFEFF') ? text.slice(1) : text
  if (source.length > YAML_BYTES_MAX || new TextEncoder().encode(source).length > YAML_BYTES_MAX) {
    return refused('yaml-size', { line: 1, column: 1 }, 'The manifest is larger than 2 MB.', 'Deploy it in parts.')
  }
  const lines = new LineCounter()
  lines.addNewLine(0)
  for (let at = source.indexOf('\n'); at >= 0; at = source.indexOf('\n', at + 1)) lines.addNewLine(at + 1)
  const position: Position = (offset) => {
    const { line, col } = lines.linePos(Math.min(offset, source.length))
    return { line: Math.max(line, 1), column: Math.max(col, 1) }
  }

  const bad = badCharacter(source)
  if (bad >= 0) {
    const code = source.charCodeAt(bad).toString(16).toUpperCase().padStart(4, '0')
    return refused(
      'yaml-character',
      position(bad),
      `The character U+${code} is not allowed in YAML.`,
      'Remove it, and save the file as plain UTF-8 text.',
    )
  }

  const found: Comment[] = []
  let document: Document.Parsed
  try {
    const documents = compose(source, found)
    document = documents.first
    if (documents.second !== undefined) {
      return refused(
        'yaml-syntax',
        position(documents.second),
        'The text holds more than one YAML document.',
        'Put all integrations under one `integrations` list and remove the `---` between the documents.',
      )
    }
  } catch (cause) {
    if (!(cause instanceof LexemeLimit)) throw cause
    const [rule, message, suggestion] = LIMITS[cause.of]
    return refused(rule, position(cause.offset), message, suggestion)
  }

  const comments = found.map(({ offset, text }) => {
    const { line, column } = position(offset)
    return { line, text, ownLine: source.slice(offset - column + 1, offset).trim() === '' }
  })
  const problems: YamlProblem[] = [...document.errors, ...document.warnings].map((problem) => ({
    rule: 'yaml-syntax',
    place: { path: '$', ...position(problem.pos[0]) },
    message: `The YAML cannot be read: ${problem.message.slice(0, 300).toWellFormed()}.`.replace(/\.\.$/, '.'),
    suggestion: SYNTAX_ADVICE[problem.code] ?? 'Check indentation, quotes and brackets here and in the line above.',
  }))
  if (problems.length > 0) return { root: undefined, comments, problems }

  const root = locate(document, position, problems)
  return { root: problems.length > 0 ? undefined : root, comments, problems }
}

const LIMITS: Record<LexemeLimit['of'], [YamlRule, message: string, suggestion: string]> = {
  nesting: ['yaml-depth', DEEP, FLATTEN],
  aliases: ['yaml-alias', 'There are too many anchors or aliases.', WRITE_OUT],
  tags: ['yaml-syntax', 'There are too many tags or directives.', 'Remove them: a manifest has plain values only.'],
  lexemes: ['yaml-size', `The manifest has more than ${LEXEMES_MAX} YAML tokens.`, 'Deploy it in parts.'],
}

const SYNTAX_ADVICE: Partial<Record<string, string>> = {
  TAB_AS_INDENT: 'Indent with spaces: YAML does not take tabs.',
  TAG_RESOLVE_FAILED: 'Remove the tag (the word that begins with `!`): a manifest has plain values only.',
  NON_STRING_KEY: 'Use plain text as key.',
  BAD_ALIAS: 'Write the value out, or put text that begins with `*` in quotes.',
  MULTILINE_IMPLICIT_KEY: 'Check that the colon and the indentation are right, here and in the line above.',
  UNEXPECTED_TOKEN: 'Check the quotes and brackets here; put text with special characters in quotes.',
}

function refused(rule: YamlRule, at: { line: number; column: number }, message: string, suggestion: string): YamlText {
  return { root: undefined, comments: [], problems: [{ rule, place: { path: '$', ...at }, message, suggestion }] }
}

/** The first document, and where the second begins; later ones are never parsed. */
function compose(source: string, comments: Comment[]): { first: Document.Parsed; second: number | undefined } {
  const parser = new Parser()
  const composer = new Composer({ schema: 'core', uniqueKeys: false, stringKeys: true, logLevel: 'silent' })
  function* tokens() {
    for (const lexeme of guardedLexemes(source, comments)) yield* parser.next(lexeme)
    yield* parser.end()
  }
  let first: Document.Parsed | undefined
  for (const document of composer.compose(tokens(), true, source.length)) {
    if (first !== undefined) return { first, second: document.range[0] }
    first = document
  }
  if (first === undefined) throw new Error('The YAML parser returned no document.')
  return { first, second: undefined }
}
