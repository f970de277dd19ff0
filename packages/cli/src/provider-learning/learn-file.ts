import { authenticationOf } from './authentication.ts'
import { baseUrlOf } from './base-url.ts'
import { errorsOf } from './errors.ts'
import { defined, type Json, objectOf, plainText, shorten, textOf } from './json-values.ts'
import { objectsOf } from './objects.ts'
import { type Operation, operationsOf } from './operations.ts'
import { withInputs, withSharedParameter } from './path-inputs.ts'
import { References } from './schemas.ts'

/** A provider file that was learned, before its check. */
export interface LearnedFile {
  file: Json
  /** Paths that look like lists. */
  lists: number
  /** What is not known, as sentences. */
  unknown: string[]
  /** What is not known about each object. */
  notes: Map<string, string[]>
}

/**
 * Learns a provider file from an OpenAPI document.
 *
 * @param pathInputs parameters of paths that customers enter
 * @throws UsageError for a parameter that no path has
 */
export function learnFile(document: Json, name: string, pathInputs: readonly string[] = []): LearnedFile {
  const references = new References(document)
  const base = baseUrlOf(document)
  const described = operationsOf(document, references)
  const { authentication, unknown, operations } = authenticationOf(document, references, described.operations)
  const chosen = withInputs(operations, pathInputs)
  const shared = withSharedParameter(chosen.operations, references)
  const learned = objectsOf(shared.operations, references)
  const health = healthCheckOf(shared.operations)
  const title = plainText(textOf(objectOf(document['info'])['title']) ?? '', 80)
  const docsUrl = textOf(objectOf(document['externalDocs'])['url'])
  const inputs = [
    ...base.inputs,
    ...[...chosen.inputs, ...shared.inputs].filter((input) => !base.inputs.some(({ name }) => name === input['name'])),
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
      errors: errorsOf(shared.operations, references),
      objects: Object.keys(learned.objects).length === 0 ? undefined : learned.objects,
    }),
    lists: learned.lists,
    notes: learned.notes,
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
