import {
  Composer,
  type Document,
  isAlias,
  isCollection,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  Parser,
} from 'yaml'
import { type Comment, guardedLexemes, LEXEMES_MAX, LexemeLimit } from './lexeme-guard.ts'
import { childPath, type Entry, type Located, type Place, quote } from './located.ts'

export const YAML_BYTES_MAX = 2 * 1024 * 1024
const DEPTH_MAX = 64
const ALIASED_VALUES_MAX = 10_000
const FORBIDDEN_KEYS: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype'])

type YamlRule =
  | 'yaml-size'
  | 'yaml-character'
  | 'yaml-syntax'
  | 'yaml-depth'
  | 'yaml-alias'
  | 'yaml-duplicate-key'
  | 'yaml-forbidden-key'
  | 'yaml-merge-key'

export interface YamlProblem {
  rule: YamlRule
  place: Place
  message: string
  suggestion: string
}

export interface YamlText {
  /** The document; `undefined` where there are problems. An empty document is an empty map. */
  root: Located | undefined
  comments: { line: number; text: string; ownLine: boolean }[]
  problems: YamlProblem[]
}

/** Ends the conversion where going on would be unbounded work. */
class Abandoned extends Error {}

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
  const position = (offset: number) => {
    const { line, col } = lines.linePos(Math.min(offset, source.length))
    return { line: Math.max(line, 1), column: Math.max(col, 1) }
  }

  const bad = badCharacter(source)
  if (bad >= 0) {
    const code = source.charCodeAt(bad).toString(16).toUpperCase().padStart(4, '0')
    return refused(
      'yaml-character',
      position(bad),
      `The character U+${code} cannot stand in YAML.`,
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

const DEEP = 'The values are nested more than 64 levels deep.'
const FLATTEN = 'A manifest needs about ten levels: check the indentation and the brackets.'
const WRITE_OUT = 'Write the values out where they are used.'

const LIMITS: Record<LexemeLimit['of'], [YamlRule, message: string, suggestion: string]> = {
  nesting: ['yaml-depth', DEEP, FLATTEN],
  aliases: ['yaml-alias', 'There are too many anchors or aliases.', WRITE_OUT],
  tags: ['yaml-syntax', 'There are too many tags or directives.', 'Remove them: a manifest has plain values only.'],
  lexemes: ['yaml-size', `The manifest has more than ${LEXEMES_MAX} words and signs.`, 'Deploy it in parts.'],
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

/** Offset of the first character that YAML refuses or that PostgreSQL could not store; -1 where there is none. */
function badCharacter(text: string): number {
  const isWellFormed = text.isWellFormed()
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    if (unit < 0x20 ? unit !== 0x09 && unit !== 0x0a && unit !== 0x0d : unit === 0x7f) return at
    if (isWellFormed || unit < 0xd800 || unit > 0xdfff) continue
    const isPair = unit < 0xdc00 && (text.charCodeAt(at + 1) & 0xfc00) === 0xdc00
    if (!isPair) return at
    at++
  }
  return -1
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
  return { first: first!, second: undefined }
}

type Position = (offset: number) => { line: number; column: number }

/** The parsed document as located values; problems are collected, `undefined` where it had to be abandoned. */
function locate(document: Document.Parsed, position: Position, problems: YamlProblem[]): Located | undefined {
  const anchors = new Map<string, Node>()
  const open = new Set<Node>()
  let aliasDepth = 0
  let aliasedValues = 0

  const problem = (rule: YamlRule, place: Place, message: string, suggestion: string): void => {
    problems.push({ rule, place, message, suggestion })
  }

  const abandon = (rule: YamlRule, place: Place, message: string, suggestion: string): never => {
    problem(rule, place, message, suggestion)
    throw new Abandoned()
  }

  const at = (node: Node, path: string): Place => ({ path, ...position(node.range?.[0] ?? 0) })

  /** @param keyPlace where collections are said to be */
  const visit = (node: Node | null, path: string, depth: number, keyPlace?: Place): Located => {
    if (node === null) return { kind: 'scalar', place: keyPlace ?? { path, line: 1, column: 1 }, value: null }
    const own = at(node, path)
    if (depth >= DEPTH_MAX && isCollection(node)) abandon('yaml-depth', own, DEEP, FLATTEN)
    if (aliasDepth > 0 && ++aliasedValues > ALIASED_VALUES_MAX) {
      abandon('yaml-alias', own, `The aliases expand to more than ${ALIASED_VALUES_MAX} values.`, WRITE_OUT)
    }
    if (isAlias(node)) {
      const target = anchors.get(node.source)
      if (target === undefined || open.has(target)) {
        const why = target === undefined ? 'does not exist before this line' : 'contains this very alias'
        return abandon('yaml-alias', own, `The anchor of the alias *${node.source} ${why}.`, WRITE_OUT)
      }
      aliasDepth++
      const value = visit(target, path, depth, keyPlace ?? own)
      aliasDepth--
      return value
    }
    if (node.anchor !== undefined) anchors.set(node.anchor, node)
    const place = keyPlace ?? own

    if (isMap(node)) {
      open.add(node)
      const entries: Entry[] = []
      const keys = new Set<string>()
      for (const pair of node.items) {
        const keyNode = pair.key as Node | null
        const key = isScalar(keyNode) ? String(keyNode.value ?? '') : ''
        const keyAt: Place = { path: childPath(path, key), ...position(keyNode?.range?.[0] ?? 0) }
        if (FORBIDDEN_KEYS.has(key)) {
          problem('yaml-forbidden-key', keyAt, `${quote(key)} cannot be a key.`, 'Remove it.')
        } else if (key === '<<') {
          problem('yaml-merge-key', keyAt, 'Merge keys (`<<`) are not part of YAML 1.2.', 'Write the keys out here.')
        } else if (keys.has(key)) {
          problem('yaml-duplicate-key', keyAt, `The key ${quote(key)} stands here twice.`, 'Keep one of the two.')
        } else {
          keys.add(key)
          entries.push({ key, keyPlace: keyAt, value: visit(pair.value as Node | null, keyAt.path, depth + 1, keyAt) })
        }
      }
      open.delete(node)
      return { kind: 'map', place, entries }
    }
    if (isSeq(node)) {
      open.add(node)
      const items = node.items.map((item, index) => visit(item as Node | null, childPath(path, index), depth + 1))
      open.delete(node)
      return { kind: 'list', place, items }
    }
    const value = isScalar(node) ? node.value : null
    if (typeof value === 'string' && badCharacter(value) >= 0) {
      problem(
        'yaml-character',
        own,
        'The text holds a control character or half a character, written as an escape.',
        'Remove the escape.',
      )
    }
    const isPlain = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    return isPlain ? { kind: 'scalar', place: own, value } : { kind: 'scalar', place, value: null }
  }

  try {
    const root = visit(document.contents as Node | null, '$', 0)
    const isEmpty = root.kind === 'scalar' && root.value === null
    return isEmpty ? { kind: 'map', place: { path: '$', line: 1, column: 1 }, entries: [] } : root
  } catch (cause) {
    if (cause instanceof Abandoned) return undefined
    throw cause
  }
}
