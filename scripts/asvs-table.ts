import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** Reads `docs/security/asvs.md` and what its rows refer to. */

const root = fileURLToPath(new URL('../', import.meta.url))
export const read = (file: string): string => readFileSync(root + file, 'utf8')
const kinds = ['Documented', 'By design', 'Operator', 'Not applicable', 'Gap']

/** Levels of the requirements of ASVS 5.0.0: a digit for each requirement of a section, in their order. */
export const levels = JSON.parse(read('scripts/asvs-levels.json')) as Record<string, string>
export const required = Object.entries(levels)
  .flatMap(([section, digits]) => [...digits].map((level, at) => ({ id: `${section}.${at + 1}`, level })))
  .filter(({ level }) => level !== '3')

export const rows = [
  ...read('docs/security/asvs.md').matchAll(/^\| (V[\d.]+) \| (\d) \| ([^|]+) \| ([^|]+) \|$/gm),
].map(([, id = '', level = '', subject = '', shownBy = '']) => ({ id, level, subject, shownBy }))

export interface Reference {
  file: string
  name: string
}

/** Tests that a text refers to: a file, and a name or a part of one. */
export function references(text: string): Reference[] {
  return [...text.matchAll(/`([^`]+\.test\.ts)`: “([^”]+)”/g)].map(([, file = '', name = '']) => ({ file, name }))
}

/** References to a file or a test that does not exist. */
export function missingReferences(text: string): Reference[] {
  return references(text).filter(({ file, name }) => !existsSync(root + file) || !isNamed(read(sourceOf(file)), name))
}

/** The kind of an answer that is no test; undefined where its reason is missing. */
export function kindOf(shownBy: string): string | undefined {
  return kinds.find((kind) => shownBy.startsWith(`${kind}: `) && shownBy.length > kind.length + 12)
}

/** The file that names the cases of a test: the test of an attack only runs what stands in the file of the attack. */
function sourceOf(file: string): string {
  return /^e2e\/attacks\/[sw]\d/.test(file) ? file.replace(/\.test\.ts$/, '.ts') : file
}

/** Whether a test, a group of tests or a case of a table has this text in its quoted name. */
function isNamed(source: string, name: string): boolean {
  return source.split('\n').some((line) => {
    const at = line.indexOf(name)
    return at > 0 && /['"`]/.test(line.slice(0, at)) && !/^\s*(\*|\/\/)/.test(line)
  })
}
