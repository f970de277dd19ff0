import { authenticationOf } from './authentication.ts'
import { baseUrlOf, variableName } from './base-url.ts'
import { keyOf, parametersOf } from './collections.ts'
import { defined, type Json, objectOf, plainText, shorten, textOf } from './json-values.ts'
import { objectsOf } from './objects.ts'
import { type Operation, operationsOf } from './operations.ts'
import { recordListOf } from './record-lists.ts'
import { References } from './schemas.ts'

/** A provider file that was learned, before its check. */
export interface LearnedFile {
  file: Json
  /** Paths that look like lists. */
  lists: number
  /** What is not known, as sentences. */
  unknown: string[]
}

/** Learns a provider file from an OpenAPI document. */
export function learnFile(document: Json, name: string): LearnedFile {
  const references = new References(document)
  const base = baseUrlOf(document)
  const { authentication, unknown } = authenticationOf(document, references)
  const described = operationsOf(document, references)
  const shared = withoutSharedParameter(described.operations, references)
  const learned = objectsOf(shared.operations, references)
  const health = healthCheckOf(shared.operations)
  const title = plainText(textOf(objectOf(document['info'])['title']) ?? '', 80)
  const docsUrl = textOf(objectOf(document['externalDocs'])['url'])
  const inputs = [
    ...base.inputs,
    ...shared.inputs.filter((input) => !base.inputs.some(({ name }) => name === input['name'])),
  ]
  const outside = [...references.unresolved].map((reference) => plainText(reference, 100))
  return {
    file: defined({
      name,
      displayName: title === '' ? undefined : title,
      docsUrl: docsUrl !== undefined && /^https:\/\/[^\s{}]+$/.test(docsUrl) ? docsUrl : undefined,
      baseUrl: base.baseUrl,
      inputs: inputs.length === 0 ? undefined : inputs,
      authentication,
      healthCheck: health === undefined ? undefined : { path: health },
      objects: Object.keys(learned.objects).length === 0 ? undefined : learned.objects,
    }),
    lists: learned.lists,
    unknown: [
      ...base.unknown,
      ...unknown,
      ...(health === undefined ? ['health check unknown: no request returns the account or user of a credential'] : []),
      ...described.unknown,
      ...shared.unknown,
      ...learned.unknown,
      ...(outside.length === 0 ? [] : [`references were not followed; bundle the document: ${shorten(outside)}`]),
    ],
  }
}

/** A request that returns who the credential belongs to. */
function healthCheckOf(operations: readonly Operation[]): string | undefined {
  return operations
    .filter(
      ({ method, path, query, elsewhere }) =>
        method === 'GET' &&
        !elsewhere &&
        /(^|\/)(me|self|whoami|current_?user|myself|user|account|users?\/(me|current|self))(\.json)?$/i.test(path) &&
        !/[{}]/.test(path) &&
        !query.some(({ required }) => required),
    )
    .map(({ path }) => path)
    .toSorted((a, b) => a.length - b.length)[0]
}

interface Shared {
  operations: Operation[]
  inputs: Json[]
  unknown: string[]
}

/**
 * Makes the first parameter of the paths an input, where most paths begin with it and no list has its values:
 * `/accounts/{account}/calls` in an API that cannot list accounts.
 */
function withoutSharedParameter(operations: Operation[], references: References): Shared {
  const counts = new Map<string, number>()
  for (const { path } of operations) {
    const start = /^.*?(?<!\{)\{[^{}]+\}(?=\/)/.exec(path)?.[0]
    if (start !== undefined) counts.set(start, (counts.get(start) ?? 0) + 1)
  }
  const [most] = [...counts].toSorted(([, a], [, b]) => b - a)
  const start = most?.[0]
  const [parameter] = start === undefined ? [] : parametersOf(start)
  const none = { operations, inputs: [], unknown: [] }
  if (start === undefined || parameter === undefined) return none
  if (most === undefined || most[1] < 3 || most[1] < operations.length * 0.6) return none
  const parentKey = keyOf(start).replace(/\/?\{\}$/, '')
  const parent = operations.find(({ method, path }) => method === 'GET' && keyOf(path) === parentKey)
  if (parent !== undefined && typeof recordListOf(parent.answer, '', references) === 'object') return none
  const name = variableName(parameter)
  const filled = start.replace(/(?<!\{)\{[^{}]+\}$/, `{{${name}}}`)
  return {
    operations: operations.map((operation) =>
      operation.path.startsWith(`${start}/`)
        ? { ...operation, path: `${filled}${operation.path.slice(start.length)}` }
        : operation,
    ),
    inputs: [{ name, displayName: plainText(parameter, 60) }],
    unknown: [`{${plainText(parameter, 60)}} of the paths is an input: customers enter it`],
  }
}
