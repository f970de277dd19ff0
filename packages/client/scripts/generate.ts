import openapiTS, { astToString, type OpenAPI3 } from 'openapi-typescript'
import { apiEndpoints, commonEndpoints } from '../../server/src/features/index.ts'
import { referenceDocument } from '../../server/src/features/platform/api-docs/index.ts'
import type { Endpoint } from '../../server/src/kernel/http/index.ts'

const notice = '// Generated from the OpenAPI document by scripts/write-types.ts. Do not edit.\n'

/** The generated files by name: the types of the document, and the method and path of each operation. */
export async function generated(): Promise<Record<string, string>> {
  const document = referenceDocument([...commonEndpoints, ...apiEndpoints] as Endpoint[], 'https://mortise.example.com')
  const types = astToString(await openapiTS(document as unknown as OpenAPI3, { alphabetize: true }))
  const rows = Object.entries(document['paths'] as Record<string, Record<string, { operationId: string }>>)
    .flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { operationId }]) => ({ operationId, method: method.toUpperCase(), path })),
    )
    .sort((one, two) => (one.operationId < two.operationId ? -1 : 1))
    .map(({ operationId, method, path }) => `  ${operationId}: ['${method}', '${path}'],\n`)
  return {
    'types.ts': notice + types,
    'operations.ts': `${notice}/** Method and path of every operation. */\nexport const operationTable = {\n${rows.join('')}} as const\n`,
  }
}
