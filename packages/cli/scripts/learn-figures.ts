/**
 * Learns provider files from public OpenAPI documents, and prints the table of docs/learning-a-provider.md.
 *
 *     node scripts/run.mjs packages/cli/scripts/learn-figures.ts [--write]
 *
 * `--write` puts the table into that page. `npm pack` downloads the packages with the documents, of fixed versions,
 * into a temporary folder. Nothing of them is installed or run.
 */
import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { parse } from 'yaml'
import { builtInFiles } from '../src/provider-checking/built-in-files.ts'
import { learnFrom } from '../src/provider-learning/index.ts'
import { passingFile } from '../src/provider-learning/passing-file.ts'
import { readDocument } from '../src/provider-learning/read-document.ts'

interface Example {
  package: string
  version: string
  /** Path of the document in the package. */
  document: string
  /** What the table adds to the package. */
  label?: string
  /** Parameters of paths for `--input`, in a second row. */
  inputs?: string[]
}

const examples: Example[] = [
  {
    package: '@octokit/openapi',
    version: '23.0.2',
    document: 'generated/api.github.com.json',
    label: 'api.github.com',
    inputs: ['owner', 'repo', 'org'],
  },
  {
    package: '@figma/rest-api-spec',
    version: '0.43.0',
    document: 'openapi/openapi.yaml',
    inputs: ['team_id', 'file_key'],
  },
  { package: '@blockfrost/openapi', version: '0.1.93', document: 'openapi.yaml' },
  { package: '@readme/oas-examples', version: '8.2.2', document: '3.0/json/star-trek.json', label: 'star-trek' },
  { package: '@dopplerhq/mcp-server', version: '1.0.5', document: 'doppler-openapi.json' },
  { package: '@directus/specs', version: '15.2.0', document: 'dist/openapi.json' },
  { package: 'shipengine-openapi', version: '1.4.0', document: 'openapi.json' },
  { package: '@readme/oas-examples', version: '8.2.2', document: '3.1/json/readme.json', label: 'readme' },
  { package: '@ideal-postcodes/openapi', version: '4.21.0', document: 'dist/openapi.json' },
  { package: '@notionhq/notion-mcp-server', version: '2.5.2', document: 'scripts/notion-openapi.json' },
  { package: '@scalar/galaxy', version: '0.6.12', document: 'dist/latest.json' },
  { package: '@readme/oas-examples', version: '8.2.2', document: '3.1/json/train-travel.json', label: 'train-travel' },
]

interface LearnedObject {
  read?: { paging?: { kind: string } }
  /** With `filter`, Mortise drops older records: the request has no window. */
  incremental?: { filter?: object }
  write?: { create?: object; update?: object; delete?: object }
}

const run = promisify(execFile)
const builtIn = await builtInFiles()
const folder = await mkdtemp(join(tmpdir(), 'learn-figures-'))
try {
  const rows: string[] = []
  for (const example of examples) {
    const path = join(await unpacked(example), 'package', example.document)
    rows.push(await row(path, nameOf(example)))
    const { inputs } = example
    if (inputs) rows.push(await row(path, `the same, \`${inputs.map((name) => `--input ${name}`).join(' ')}\``, inputs))
  }
  const table = [
    '| Package | Paths | Lists | Objects | With paging | With a window | Create, update, delete |',
    '|---|---|---|---|---|---|---|',
    ...rows,
  ].join('\n')
  if (process.argv[2] === '--write') await put(table)
  else console.log(table)
} finally {
  await rm(folder, { recursive: true })
}

function nameOf({ package: name, version, label }: Example): string {
  return `\`${name}\` ${version}${label === undefined ? '' : `, ${label}`}`
}

async function unpacked({ package: name, version }: Example): Promise<string> {
  const to = join(folder, `${name}@${version}`.replace('/', '-'))
  if ((await mkdir(to, { recursive: true })) === undefined) return to
  const options = { cwd: to, timeout: 120_000 }
  const packed = await run('npm', ['pack', '--silent', '--ignore-scripts', `${name}@${version}`], options)
  await run('tar', ['xzf', packed.stdout.trim()], options)
  return to
}

/** Learns a document, and returns its row. A file that does not pass its check has no objects. */
async function row(path: string, label: string, inputs: readonly string[] = []): Promise<string> {
  const document = await readDocument(path, path)
  const { learned, source } = learnFrom(document, path, 'learnedExample', inputs)
  const passing = passingFile(learned, source, builtIn)
  const { objects: found = {} } = parse(passing.text) as { objects?: Record<string, LearnedObject> }
  const objects = Object.values(found)
  const count = (has: (object: LearnedObject) => unknown) =>
    objects.filter((object) => (has(object) ?? false) !== false).length
  const cells = [
    Object.keys(document['paths'] ?? {}).length,
    learned.lists,
    objects.length,
    count(({ read }) => (read?.paging?.kind ?? 'none') !== 'none'),
    count(({ incremental }) => incremental && incremental.filter === undefined),
    [
      count(({ write }) => write?.create),
      count(({ write }) => write?.update),
      count(({ write }) => write?.delete),
    ].join(', '),
  ]
  return `| ${[label, ...cells].join(' | ')} |`
}

async function put(table: string): Promise<void> {
  const page = new URL('../../../docs/learning-a-provider.md', import.meta.url)
  const text = await readFile(page, 'utf8')
  const marked = /(<!-- figures -->\n\n).*(\n\n<!-- \/figures -->)/s
  if (!marked.test(text)) throw new Error('docs/learning-a-provider.md has not the two markers.')
  await writeFile(
    page,
    text.replace(marked, (_, before: string, after: string) => `${before}${table}${after}`),
  )
}
