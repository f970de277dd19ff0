import type { OpenApiView, ResponseView, SchemaView } from '../packages/server/src/features/platform/api-docs/index.ts'
import {
  chaptersOf,
  type Entry,
  type Resource,
  referredName,
  resolvedAnswer,
} from '../packages/server/src/features/platform/api-docs/index.ts'
import type { ProblemDeclaration } from '../packages/server/src/kernel/http/index.ts'

/** The pages `docs/resources/{resource}.md` and `docs/problems/{code}.md`, by path below `docs`. */
export function referencePages(
  document: object,
  resources: Record<string, Resource>,
  problems: Iterable<ProblemDeclaration>,
): Map<string, string> {
  const view = JSON.parse(JSON.stringify(document)) as OpenApiView
  const entries = chaptersOf(view)
    .flatMap((chapter) => chapter.entries)
    .filter(({ path }) => path !== '')
  const pageOf = (name: string) => (name in resources ? `${fileOf(name)}.md` : undefined)
  return new Map([
    ...Object.entries(resources).map(
      ([name, resource]) =>
        [`resources/${fileOf(name)}.md`, resourcePage(view, entries, name, resource, pageOf)] as const,
    ),
    ...[...problems].map((problem) => [`problems/${problem.code}.md`, problemPage(view, entries, problem)] as const),
  ])
}

/** `ApiKey` as `api-key`, `JWTKey` as `jwt-key`. */
export function fileOf(name: string): string {
  return name.replace(/([a-z])([A-Z])|([A-Z])(?=[A-Z][a-z])/g, '$1$3-$2').toLowerCase()
}

function resourcePage(
  view: OpenApiView,
  entries: Entry[],
  name: string,
  { is, life, also = [] }: Resource,
  pageOf: (name: string) => string | undefined,
): string {
  const touching = entries.filter((entry) => also.includes(entry.id) || schemasOf(entry).includes(name))
  const example = exampleOf(entries, name)
  return [
    `# ${name}`,
    '',
    is,
    '',
    life,
    '',
    ...fields(view, name, '## Fields', pageOf),
    ...partsOf(view, name, pageOf).flatMap((part) => fields(view, part, `### ${part}`, pageOf)),
    '## Endpoints',
    '',
    row(['Endpoint', 'Request', 'Purpose']),
    '|---|---|---|',
    ...touching.map(({ id, method, path, operation }) =>
      row([`\`${id}\``, `\`${method} ${path}\``, operation.summary]),
    ),
    '',
    ...(example === undefined ? [] : ['## Example', '', '```json', JSON.stringify(example, null, 2), '```', '']),
  ].join('\n')
}

/** Names of the schemas of the bodies and good answers of an operation, alone or in a list. */
function schemasOf({ operation }: Entry): string[] {
  const answers = Object.entries(operation.responses).flatMap(([status, answer]) => (status < '3' ? [answer] : []))
  const medias = [operation.requestBody, ...answers].flatMap((part) => Object.values(part?.content ?? {}))
  return medias.flatMap(({ schema }) => referredName(schema.items ?? schema) ?? [])
}

/** What an operation answered with it, alone or first in a list. */
function exampleOf(entries: Entry[], name: string): unknown {
  for (const { operation } of entries)
    for (const { content } of Object.values(operation.responses) as ResponseView[])
      for (const { schema, examples } of Object.values(content ?? {})) {
        const value = Object.values(examples ?? {})[0]?.value
        if (value !== undefined && referredName(schema) === name) return value
        if (Array.isArray(value) && value.length > 0 && referredName(schema.items ?? {}) === name) return value[0]
      }
  return undefined
}

/** Schemas that are a part of this one and have no page of their own, in the order in which they are met. */
function partsOf(view: OpenApiView, name: string, pageOf: (name: string) => string | undefined): string[] {
  const found: string[] = []
  const visit = (schema: SchemaView) => {
    const referred = referredName(schema)
    if (referred !== undefined && referred !== name && !found.includes(referred) && pageOf(referred) === undefined) {
      found.push(referred)
      visit(view.components.schemas[referred] ?? {})
    }
    for (const part of [
      ...Object.values(schema.properties ?? {}),
      ...(schema.anyOf ?? []),
      ...(schema.oneOf ?? []),
      ...(schema.items ? [schema.items] : []),
      ...(typeof schema.additionalProperties === 'object' ? [schema.additionalProperties] : []),
    ])
      visit(part)
  }
  visit(view.components.schemas[name] ?? {})
  return found
}

function fields(
  view: OpenApiView,
  name: string,
  title: string,
  pageOf: (name: string) => string | undefined,
): string[] {
  const schema = view.components.schemas[name] ?? {}
  const rows = fieldRows(view, schema, '', pageOf)
  return [
    title,
    '',
    ...(title.startsWith('###') && schema.description ? [schema.description, ''] : []),
    ...(rows.length > 0 ? [row(['Field', 'Type', 'Always', 'Meaning']), '|---|---|---|---|', ...rows, ''] : []),
  ]
}

/** A line for every field, those of unnamed objects below it after it. */
function fieldRows(
  view: OpenApiView,
  schema: SchemaView,
  prefix: string,
  pageOf: (name: string) => string | undefined,
): string[] {
  return Object.entries(schema.properties ?? {}).flatMap(([field, property]) => [
    row([
      `\`${prefix}${field}\``,
      typeOf(property, pageOf),
      schema.required?.includes(field) ? 'yes' : 'no',
      property.description ?? view.components.schemas[referredName(property) ?? '']?.description ?? '',
    ]),
    ...fieldRows(view, property, `${prefix}${field}.`, pageOf),
    ...(property.items ? fieldRows(view, property.items, `${prefix}${field}[].`, pageOf) : []),
  ])
}

function typeOf(schema: SchemaView, pageOf: (name: string) => string | undefined): string {
  const name = referredName(schema)
  if (name !== undefined) return `[${name}](${pageOf(name) ?? `#${name.toLowerCase()}`})`
  const choices = schema.anyOf ?? schema.oneOf
  if (choices?.some(({ $ref, type }) => $ref ?? type))
    return choices.map((choice) => typeOf(choice, pageOf)).join(' or ')
  if (schema.items) return `array of ${typeOf(schema.items, pageOf)}`
  if (typeof schema.additionalProperties === 'object') return `map of ${typeOf(schema.additionalProperties, pageOf)}`
  if (schema.enum) return schema.enum.map((value) => `\`${value}\``).join(', ')
  const type = Array.isArray(schema.type) ? schema.type.join(' or ') : (schema.type ?? 'any')
  return schema.format === undefined ? type : `${type}, ${schema.format}`
}

function problemPage(view: OpenApiView, entries: Entry[], problem: ProblemDeclaration): string {
  const { code, status, title, detail, remedy, retryable, subsystem } = problem
  const answering = entries.filter(({ operation }) =>
    Object.values(operation.responses).some((answer) =>
      resolvedAnswer(view, answer)['x-mortise-problems']?.includes(code),
    ),
  )
  const example = view.components.examples[code]?.value
  const few = answering.length > 0 && answering.length <= 30
  return [
    `# ${code}`,
    '',
    `${title}. HTTP status ${status}, from \`${subsystem}\`.`,
    '',
    detail,
    '',
    `**What to do.** ${remedy ?? 'Read `detail`, `causes` and `issues` of the response.'}`,
    '',
    `**Retry:** ${retryable ? 'the same request may succeed later.' : 'the same request fails until you change something.'}`,
    '',
    ...(few
      ? [
          'Endpoints that return it:',
          '',
          ...answering.map(({ id, operation }) => `- \`${id}\`: ${operation.summary}`),
          '',
        ]
      : [answering.length === 0 ? 'Any request may return it.' : 'Most endpoints may return it.', '']),
    ...(example ? ['```json', JSON.stringify(example, null, 2), '```', ''] : []),
    'All problems: [Errors](../errors.md).',
    '',
  ].join('\n')
}

function row(cells: string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|').replaceAll('\n', ' ')).join(' | ')} |`
}
