import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseAst } from 'vitest/node'

/** A node of a syntax tree (ESTree), with the parts that attacks read. */
export interface SyntaxNode {
  type: string
  name?: string
  value?: unknown
  operator?: string
  regex?: { pattern: string; flags: string }
  left?: SyntaxNode
  right?: SyntaxNode
  callee?: SyntaxNode
  object?: SyntaxNode
  property?: SyntaxNode
  expression?: SyntaxNode
  arguments?: SyntaxNode[]
}

const root = fileURLToPath(new URL('../../', import.meta.url))

/** Returns the source files of the packages, without their tests. */
export function sourceFiles(): string[] {
  return globSync('packages/*/src/**/*.ts', { cwd: root })
    .filter((file) => !/\.(test|testkit|cases)\.ts$|\/testkit\//.test(file))
    .toSorted()
}

/** Calls `visit` for each node of a file, with the line where it begins and its text. */
export function visitSource(
  file: string,
  visit: (node: SyntaxNode, line: () => number, text: () => string) => void,
): void {
  const source = readFileSync(root + file, 'utf8')
  const walk = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return
    const { start = 0, end = 0 } = value as { start?: number; end?: number }
    if ('type' in value)
      visit(
        value as SyntaxNode,
        () => source.slice(0, start).split('\n').length,
        () => source.slice(start, end),
      )
    for (const child of Object.values(value)) walk(child)
  }
  walk(parseAst(source, { lang: 'ts' }, file).body)
}
