import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { parseSync } from 'rolldown/utils'

/**
 * Reads source files as syntax trees and follows names from one file to another: through constants, functions, imports
 * and re-exports.
 */
export class SourceTree {
  #files = new Map()

  /** Returns the parsed file, or undefined when there is none. */
  file(name) {
    if (!this.#files.has(name)) this.#files.set(name, existsSync(name) ? parse(name) : undefined)
    return this.#files.get(name)
  }

  /** Finds what a name stands for at a position: a declaration in the same file, or the export that it imports. */
  resolve(file, name, position) {
    const declared = nearest(file.declarations.get(name) ?? [], position)
    if (declared) return { file, node: declared.node }
    const imported = file.imports.get(name)
    return imported && this.#exported(path.resolve(path.dirname(file.name), imported.from), imported.name)
  }

  #exported(target, name, seen = new Set()) {
    const file = seen.has(target) ? undefined : this.file(target)
    if (!file) return undefined
    seen.add(target)
    const local = file.declarations.get(name)?.find(({ isTop }) => isTop)
    if (local) return { file, node: local.node }
    const again = file.exports.find((entry) => entry.as === name || entry.as === '*')
    if (!again) return undefined
    return this.#exported(path.resolve(path.dirname(target), again.from), again.as === '*' ? name : again.name, seen)
  }
}

/** The declaration that is visible at a position: that of the innermost block that contains it. */
function nearest(declarations, position) {
  const visible = declarations.filter(({ block }) => block.start <= position && position <= block.end)
  return visible.toSorted((a, b) => b.block.start - a.block.start)[0]
}

function parse(name) {
  const text = readFileSync(name, 'utf8')
  const { program, errors } = parseSync(name, text)
  if (errors.length > 0) throw new Error(`${name}: ${errors[0].message}`)
  const file = { name, text, program, declarations: new Map(), imports: new Map(), exports: [], sqlTags: new Set() }
  walk(program, (node, parents) => collect(file, node, parents))
  return file
}

function collect(file, node, parents) {
  const declare = (id, value) => {
    if (id?.type !== 'Identifier') return
    const block = parents.findLast(({ type }) => /^(BlockStatement|Program|.*Function.*)$/.test(type)) ?? file.program
    const entry = { node: value, block, isTop: block.type === 'Program' }
    file.declarations.set(id.name, [...(file.declarations.get(id.name) ?? []), entry])
  }
  if (node.type === 'VariableDeclarator' && node.init) declare(node.id, node.init)
  if (node.type === 'FunctionDeclaration') declare(node.id, node)
  if (/Function/.test(node.type)) declareParameters(file, node)
  if (node.type === 'ImportDeclaration') {
    for (const specifier of node.specifiers) {
      if (specifier.type !== 'ImportSpecifier') continue
      if (node.source.value === 'kysely' && specifier.imported.name === 'sql') file.sqlTags.add(specifier.local.name)
      if (node.source.value.startsWith('.'))
        file.imports.set(specifier.local.name, { from: node.source.value, name: specifier.imported.name })
    }
  }
  if (node.type === 'ExportNamedDeclaration' && node.source)
    for (const { local, exported } of node.specifiers)
      file.exports.push({ from: node.source.value, name: local.name, as: exported.name })
  if (node.type === 'ExportAllDeclaration') file.exports.push({ from: node.source.value, as: '*' })
}

/** A parameter stands for its default, or for any of the literals that its type lists. */
function declareParameters(file, node) {
  for (const parameter of node.params ?? []) {
    const isDefault = parameter.type === 'AssignmentPattern'
    const id = isDefault ? parameter.left : parameter
    const value = isDefault ? parameter.right : parameter.typeAnnotation?.typeAnnotation
    if (id.type !== 'Identifier' || !value) continue
    const entry = { node: value, block: node, isTop: false }
    file.declarations.set(id.name, [...(file.declarations.get(id.name) ?? []), entry])
  }
}

/** Visits each node with its parents, outermost first. */
export function walk(node, visit, parents = []) {
  visit(node, parents)
  const inner = [...parents, node]
  for (const [key, value] of Object.entries(node)) {
    if (key === 'parent') continue
    for (const child of Array.isArray(value) ? value : [value])
      if (child && typeof child.type === 'string') walk(child, visit, inner)
  }
}

/** The line of a position, from 1. */
export function lineOf(file, position) {
  return file.text.slice(0, position).split('\n').length
}
