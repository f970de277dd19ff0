import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { apiEndpoints, commonEndpoints } from '../features/index.ts'
import type { Endpoint } from '../kernel/http/index.ts'
import type { EndpointCases, SampleRequest } from './cases.ts'
import type { Ids } from './tenant.ts'

const root = fileURLToPath(new URL('../../../../', import.meta.url))
const features = fileURLToPath(new URL('../features/', import.meta.url))

/** The cases of all endpoints, by operationId. */
export interface LoadedCases {
  of(id: string): EndpointCases
  /** Returns the request that each caller sends. */
  request(id: string, ids: Ids, crmUrl?: string): SampleRequest
}

/**
 * Loads the cases beside the endpoints.
 *
 * @throws when an endpoint has none, with the name of the file to create
 */
export async function loadCases(
  endpoints = [...commonEndpoints, ...apiEndpoints] as Endpoint[],
  folder = features,
): Promise<LoadedCases> {
  const files = globSync('**/*.cases.ts', { cwd: folder }).toSorted()
  const modules = await Promise.all(
    files.map((file) => import(/* @vite-ignore */ pathToFileURL(path.join(folder, file)).href)),
  )
  const found = new Map((modules as { cases: EndpointCases }[]).map(({ cases }) => [cases.id, cases]))
  const ids = endpoints.map(({ declaration }) => declaration.id)
  const faults = [
    ...ids.filter((id) => !found.has(id)).map((id) => `${id} has no cases. Create ${fileToCreate(id, folder)}.`),
    ...[...found.keys()].filter((id) => !ids.includes(id)).map((id) => `${id} has cases, but no feature lists it.`),
    ...(found.size < files.length ? ['Two files have cases of the same endpoint.'] : []),
  ]
  if (faults.length > 0) throw new Error(faults.join('\n'))
  const of = (id: string) => {
    const cases = found.get(id)
    if (!cases) throw new Error(`${id} is not an endpoint.`)
    return cases
  }
  return {
    of,
    request(id, tenantIds, crmUrl = 'http://127.0.0.1:9') {
      const { request = {} } = of(id)
      return typeof request === 'function' ? request(tenantIds, crmUrl) : request
    },
  }
}

/** Returns the path of the cases of an endpoint: beside the file that declares it. */
function fileToCreate(id: string, folder: string): string {
  const name = id.replaceAll(/([a-z])([A-Z])|([A-Z])([A-Z][a-z])/g, '$1$3-$2$4').toLowerCase()
  const declaring = globSync('**/endpoints/*.ts', { cwd: folder }).find((file) =>
    readFileSync(path.join(folder, file), 'utf8').includes(`id: '${id}'`),
  )
  const beside = declaring === undefined ? 'endpoints' : path.dirname(path.join(folder, declaring))
  return path.relative(root, path.join(beside, `${name}.cases.ts`))
}
