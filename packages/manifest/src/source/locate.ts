import { type Document, isAlias, isCollection, isMap, isScalar, isSeq, type Node } from 'yaml'
import { badCharacter } from './bad-character.ts'
import { childPath, type Entry, type Located, quote, type SourceLocation } from './located.ts'
import { DEEP, FLATTEN, WRITE_OUT, type YamlProblem, type YamlRule } from './yaml-problem.ts'

const DEPTH_MAX = 64
const ALIASED_VALUES_MAX = 10_000
const FORBIDDEN_KEYS: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype'])

/** Ends the conversion where its work would be unbounded. */
class Abandoned extends Error {}

/** Line and column (both from 1) of an offset. */
export type Position = (offset: number) => { line: number; column: number }

/** The parsed document as located values; problems are collected, `undefined` where it had to be abandoned. */
export function locate(document: Document.Parsed, position: Position, problems: YamlProblem[]): Located | undefined {
  const anchors = new Map<string, Node>()
  const open = new Set<Node>()
  let aliasDepth = 0
  let aliasedValues = 0

  const problem = (rule: YamlRule, place: SourceLocation, message: string, suggestion: string): void => {
    problems.push({ rule, place, message, suggestion })
  }

  const abandon = (rule: YamlRule, place: SourceLocation, message: string, suggestion: string): never => {
    problem(rule, place, message, suggestion)
    throw new Abandoned()
  }

  const at = (node: Node, path: string): SourceLocation => ({ path, ...position(node.range?.[0] ?? 0) })

  /** @param keyPlace the position to report for collections */
  const visit = (node: Node | null, path: string, depth: number, keyLocation?: SourceLocation): Located => {
    if (node === null) return { kind: 'scalar', place: keyLocation ?? { path, line: 1, column: 1 }, value: null }
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
      const value = visit(target, path, depth, keyLocation ?? own)
      aliasDepth--
      return value
    }
    if (node.anchor !== undefined) anchors.set(node.anchor, node)
    const place = keyLocation ?? own

    if (isMap(node)) {
      open.add(node)
      const entries: Entry[] = []
      const keys = new Set<string>()
      for (const pair of node.items) {
        const keyNode = pair.key as Node | null
        const key = isScalar(keyNode) ? String(keyNode.value ?? '') : ''
        const keyAt: SourceLocation = { path: childPath(path, key), ...position(keyNode?.range?.[0] ?? 0) }
        if (FORBIDDEN_KEYS.has(key)) {
          problem('yaml-forbidden-key', keyAt, `${quote(key)} cannot be a key.`, 'Remove it.')
        } else if (key === '<<') {
          problem('yaml-merge-key', keyAt, 'Merge keys (`<<`) are not part of YAML 1.2.', 'Write the keys out here.')
        } else if (keys.has(key)) {
          problem('yaml-duplicate-key', keyAt, `The key ${quote(key)} appears twice.`, 'Keep one of the two.')
        } else {
          keys.add(key)
          entries.push({
            key,
            keyLocation: keyAt,
            value: visit(pair.value as Node | null, keyAt.path, depth + 1, keyAt),
          })
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
