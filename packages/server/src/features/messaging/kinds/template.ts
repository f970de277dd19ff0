import { compile, type JSONValue, TreeInterpreter } from '@jmespath-community/jmespath'
import type { SettingsReader } from './settings-reader.ts'
/** A key or a path that is made of a message. */
export type Template = ReturnType<typeof compile>

const lengthMax = 1_000
const functions = new Set(['join', 'to_string', 'not_null'])
const binary = new Set(['Subexpression', 'IndexExpression', 'OrExpression', 'AndExpression'])
const leaves = new Set(['Field', 'Literal', 'Index', 'Identity'])

/**
 * Parses a JMESPath expression: fields, indexes, literals, `||`, `&&`, and the functions `join`, `to_string` and
 * `not_null`. Nothing else, so that its result is never many times as large as the message.
 *
 * @returns what is wrong with it, in a sentence, if it is not one
 */
export function parseTemplate(text: string): Template | string {
  return parse(text, (node) => firstRefused(node, false) ?? refusedForSize(node))
}

/**
 * Parses a JMESPath expression that makes a JSON value: what other templates accept, and lists and objects of it.
 *
 * @returns what is wrong with it, in a sentence, if it is not one
 */
export function parseJsonTemplate(text: string): Template | string {
  return parse(text, (node) => refusedInValue(node) ?? refusedForSize(node))
}

function parse(text: string, refusedIn: (node: Template) => string | undefined): Template | string {
  if (text.length > lengthMax) return `It must not be longer than ${lengthMax} characters.`
  let node: Template
  try {
    node = compile(text)
  } catch {
    return 'It is not a JMESPath expression.'
  }
  const refused = refusedIn(node)
  return refused === undefined ? node : `It must not contain ${refused}.`
}

/**
 * Returns what is wrong with a template among stored settings, in two sentences: an earlier release may have accepted
 * it. Undefined if all are accepted.
 */
export function refusedTemplate(settings: object): string | undefined {
  for (const [name, text] of Object.entries(settings)) {
    if (!name.endsWith('Template') || typeof text !== 'string') continue
    const parsed = name === jsonTemplate ? parseJsonTemplate(text) : parseTemplate(text)
    if (typeof parsed === 'string')
      return `The ${name} of this destination is not accepted by this release. ${parsed} Correct it: messages wait.`
  }
  return undefined
}

/** The one setting whose template makes a JSON value. */
const jsonTemplate = 'bodyTemplate'

/** Parses a template that was accepted. Undefined if there is none. */
export function openTemplate(text: string | undefined): Template | undefined {
  const parsed = text === undefined ? '' : parseTemplate(text)
  return typeof parsed === 'string' ? undefined : parsed
}

/** Returns the text that a template makes of a value, or undefined if it makes none. */
export function fillTemplate(template: Template, value: Record<string, unknown>): string | undefined {
  try {
    const made: unknown = TreeInterpreter.search(template, value as Record<string, JSONValue>)
    if (typeof made === 'string') return made === '' ? undefined : made
    return typeof made === 'number' ? String(made) : undefined
  } catch {
    return undefined
  }
}

/** Maximum number of values that an expression takes from a message: its result is at most so many times as large. */
const valuesMax = 64

function refusedForSize(node: Template): string | undefined {
  if (textsIn(node) > 1) return 'to_string within to_string'
  return valuesIn(node) > valuesMax ? `more than ${valuesMax} values` : undefined
}

function refusedInValue(node: Template): string | undefined {
  if (node.type !== 'MultiSelectHash' && node.type !== 'MultiSelectList') return firstRefused(node, false)
  for (const child of node.children) {
    const refused = refusedInValue(child.type === 'KeyValuePair' ? child.value : child)
    if (refused !== undefined) return refused
  }
  return undefined
}

/** Size of the result of an expression, in sizes of the message. */
function valuesIn(node: Template): number {
  if (node.type === 'OrExpression' || node.type === 'AndExpression')
    return Math.max(valuesIn(node.left), valuesIn(node.right))
  if ('left' in node && 'right' in node) return valuesIn(node.left) * valuesIn(node.right)
  const sum = childrenOf(node).reduce((values, child) => values + valuesIn(child), 0)
  return Math.max(1, sum) + separatorsIn(node)
}

/** A list in a message has at least three bytes for each item, and the result a separator. */
function separatorsIn(node: Template): number {
  if (node.type !== 'Function' || node.name !== 'join') return 0
  const [separator] = node.children
  return separator?.type === 'Literal' ? Math.ceil(String(separator.value).length / 3) : 0
}

/** How often JSON is written as a text in JSON: each time, its quotes need twice as many backslashes. */
function textsIn(node: Template): number {
  if ('left' in node && 'right' in node) return textsIn(node.left) + textsIn(node.right)
  const deepest = Math.max(0, ...childrenOf(node).map(textsIn))
  return node.type === 'Function' && node.name === 'to_string' ? deepest + 1 : deepest
}

function childrenOf(node: Template): readonly Template[] {
  if (node.type !== 'MultiSelectHash' && node.type !== 'MultiSelectList' && node.type !== 'Function') return []
  return node.children.map((child) => (child.type === 'KeyValuePair' ? child.value : child))
}

/** Returns the value that a template makes of a message; undefined if it makes none. */
export function fillJsonTemplate(template: Template, message: unknown): unknown {
  try {
    const made: unknown = TreeInterpreter.search(template, message as JSONValue) ?? undefined
    // An object has functions by names such as `constructor`.
    return typeof made === 'function' ? undefined : made
  } catch {
    return undefined
  }
}

/** Returns what a template must not have; undefined if there is nothing. */
function firstRefused(node: Template, isArgument: boolean): string | undefined {
  const { type } = node
  if (leaves.has(type)) return undefined
  if (type === 'Function') {
    if (!functions.has(node.name)) return `the function ${node.name.slice(0, 40)}`
    if (node.name === 'join' && node.children[0]?.type !== 'Literal') return 'a separator from the message'
    return firstOf(node.children, true)
  }
  if (type === 'MultiSelectList' && isArgument) return firstOf(node.children, false)
  if (binary.has(type) && 'left' in node && 'right' in node) return firstOf([node.left, node.right], false)
  return shownTypes[type] ?? 'this kind of expression'
}

function firstOf(nodes: readonly Template[], areArguments: boolean): string | undefined {
  for (const node of nodes) {
    const refused = firstRefused(node, areArguments)
    if (refused !== undefined) return refused
  }
  return undefined
}

const shownTypes: Record<string, string> = {
  MultiSelectList: 'a list outside of a function',
  MultiSelectHash: 'an object',
  Pipe: 'a pipe',
  Projection: 'a projection',
  ValueProjection: 'a projection',
  FilterProjection: 'a filter',
  Flatten: 'a projection',
}

/** Reads a setting that is a template. */
export function readTemplate(read: SettingsReader, name: string): string | undefined {
  const text = read.optionalText(name, {
    what: 'a JMESPath expression',
    pattern: /\S/,
    remedy: "Give one, such as join('_', [data.groupRef, data.objectName]).",
  })
  if (text === undefined) return undefined
  const parsed = parseTemplate(text)
  if (typeof parsed !== 'string') return text
  read.refuse(
    name,
    `is not accepted. ${parsed}`,
    'Use fields, indexes, literals, join, to_string, not_null, || and &&.',
  )
  return undefined
}
