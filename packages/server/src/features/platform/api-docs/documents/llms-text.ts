import type { DocumentFile } from './documents.ts'

/** Sections by folder, in order; other folders follow. */
const sections: Record<string, string> = {
  '': 'Guides and reference',
  destinations: 'Destinations',
  recipes: 'Integrations with applications',
  resources: 'Resources of the API',
  events: 'Events',
  security: 'Security',
}

/** By llmstxt.org, a section that a reader with little room may leave out. */
const optional = ['problems', 'decisions']

/** Returns the list of all pages for language models, in the form of https://llmstxt.org. */
export function llmsText(documents: Iterable<DocumentFile>, origin: string): string {
  const all = [...documents]
  const folders = new Set([...Object.keys(sections), ...all.map(({ folder }) => folder)])
  const listed = [...folders].filter((folder) => !optional.includes(folder))
  const text = (folder: string) => all.filter((one) => one.folder === folder).map((one) => line(one, origin))
  const section = (title: string, lines: string[]) => (lines.length === 0 ? '' : `\n## ${title}\n\n${lines.join('')}`)
  return [
    introduction,
    ...listed.map((folder) => section(sections[folder] ?? folder, text(folder))),
    section('Optional', optional.flatMap(text)),
  ].join('')
}

const introduction = `# Mortise

> Self-hosted integration management: you describe an integration in a YAML manifest, your customers connect their SaaS accounts, and Mortise delivers their records to your webhooks, tables, queues and buckets.

Every page below is Markdown. The OpenAPI document is at \`/v1/openapi.json\`, and the JSON Schemas of manifests and provider files are at \`/schemas/manifest.json\` and \`/schemas/provider.json\`. \`mortise mcp\` serves tools for coding agents.
`

function line({ path, title, description }: DocumentFile, origin: string): string {
  return `- [${title.replaceAll(/[[\]]/g, '')}](${origin}/docs/${path}.md)${description && `: ${description}`}\n`
}
