/**
 * Prints how many providers authenticate how, and what can be done there.
 *
 *     node --conditions=mortise-source scripts/count.ts [--write]
 *
 * `--write` puts it into docs/providers.md, and what can be searched into docs/searching.md, between their markers, and
 * the counts into the sentences of README.md; a test compares them.
 */
import { readFile, writeFile } from 'node:fs/promises'
import { loadCatalogue } from '../src/catalogue/load-catalogue.ts'
import { countsPage, evidenceTable } from './counts-page.ts'
import { withCounts } from './readme-counts.ts'
import { searchesPage } from './searches-page.ts'

const entries = (await loadCatalogue()).list()
const counts = countsPage(entries)
if (process.argv[2] !== '--write') console.log(counts)
else {
  await put('providers', 'counts', counts)
  await put('providers', 'evidence', evidenceTable(entries))
  await put('searching', 'searches', searchesPage(entries))
  const readme = new URL('../../../README.md', import.meta.url)
  await writeFile(readme, withCounts(await readFile(readme, 'utf8'), entries))
}

async function put(name: string, marker: string, text: string): Promise<void> {
  const page = new URL(`../../../docs/${name}.md`, import.meta.url)
  const written = await readFile(page, 'utf8')
  const [before, after] = [written.split(`<!-- ${marker} -->`)[0], written.split(`<!-- /${marker} -->`)[1]]
  if (before === undefined || after === undefined) throw new Error(`docs/${name}.md has not the two markers.`)
  await writeFile(page, `${before}<!-- ${marker} -->\n\n${text}\n<!-- /${marker} -->${after}`)
}
