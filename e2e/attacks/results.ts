import { readFile, writeFile } from 'node:fs/promises'
import { row } from '../../scripts/markdown.ts'
import type { AttackResult } from './attack.ts'

const resultsFile = new URL('../../docs/security/attacks.json', import.meta.url)
const pageFile = new URL('../../docs/reliability.md', import.meta.url)
const tableOnPage = /(?<=<!-- attacks -->\n)[\s\S]*(?=<!-- \/attacks -->)/

export async function readResults(): Promise<AttackResult[]> {
  return JSON.parse(await readFile(resultsFile, 'utf8')) as AttackResult[]
}

/** The table of attacks that `docs/reliability.md` shows. */
export async function readTable(): Promise<string> {
  const [table] = tableOnPage.exec(await readFile(pageFile, 'utf8')) ?? []
  if (table === undefined) throw new Error('docs/reliability.md has no place for the table of attacks.')
  return table
}

/** Stores new results in place of those with the same ids, and renews the table that is made of all. */
export async function writeResults(renewed: AttackResult[]): Promise<void> {
  const ids = new Set(renewed.map(({ id }) => id))
  const kept = (await readResults()).filter(({ id }) => !ids.has(id))
  const results = [...kept, ...renewed].toSorted(byId)
  await writeFile(resultsFile, `${JSON.stringify(results, null, 2)}\n`)
  const page = await readFile(pageFile, 'utf8')
  await writeFile(
    pageFile,
    page.replace(tableOnPage, () => resultTable(results)),
  )
}

export function resultTable(results: AttackResult[]): string {
  const rows = results.map(({ id, title, date, form, passed, figures }) =>
    row([id, title, passed ? 'yes' : '**no**', figuresText(figures), `${date}, ${form}`]),
  )
  return ['| Id | What must hold | Held | Figures | Run |', '|---|---|---|---|---|', ...rows, ''].join('\n')
}

/** One line for the log of a run. */
export function resultLine({ id, form, passed, figures }: AttackResult): string {
  return `${id} (${form}) ${passed ? 'passed' : 'FAILED'}: ${figuresText(figures)}`
}

/** `slowestMs: 12` as `slowest ms 12`. */
function figuresText(figures: AttackResult['figures']): string {
  return Object.entries(figures)
    .map(([name, value]) => {
      const words = name.replace(/([a-z\d])([A-Z])/g, '$1 $2').toLowerCase()
      return `${words} ${typeof value === 'number' ? value.toLocaleString('en-US') : value}`
    })
    .join(', ')
}

function byId({ id: one }: AttackResult, { id: other }: AttackResult): number {
  return one.localeCompare(other, 'en', { numeric: true })
}
