import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { buildService } from '../scripts/build-service.mjs'
import { endAll, freePort, type MortiseProcess, startMortise } from './mortise-process.testkit.ts'

/** The bundle that `npm start` builds does what the sources do, also where they open files by name. */

const root = fileURLToPath(new URL('../', import.meta.url))
let program: string
let dataDir: string

beforeAll(async () => {
  program = join((await buildService(root)) ?? '', 'main.js')
  dataDir = await mkdtemp(join(tmpdir(), 'mortise-bundle-'))
})
afterEach(endAll)
afterAll(() => rm(dataDir, { recursive: true, force: true }))

const apiKey = async () => (await readFile(join(dataDir, 'api-key'), 'utf8')).trim()
const start = (installed = program) =>
  startMortise({ MORTISE_DATA_DIR: dataDir, MORTISE_CACHE_DIR: join(dataDir, 'cache') }, { program: installed, apiKey })

it('migrates, compiles the catalog, validates manifests in its thread, and serves the guides', async () => {
  const first = await start()
  expect(await first.call('GET', '/readyz')).toMatchObject({ status: 200 })
  expect(await first.call<{ name: string }>('GET', '/v1/providers/hubspot')).toMatchObject({
    status: 200,
    body: { name: 'hubspot' },
  })
  expect(await deploy(first)).toMatchObject({ status: 200 })
  const guide = await fetch(`${first.url}/docs/guides/deployment`)
  expect(await guide.text()).toContain('<h1>Deployment</h1>')
  expect(await (await fetch(`${first.url}/llms.txt`)).text()).toContain('/docs/destinations/kafka.md)')
  expect(await (await fetch(`${first.url}/docs/deployment.md`)).text()).toMatch(/^# Deployment/)
  expect(await first.end('SIGTERM')).toBe(0)

  const second = await start()
  expect(await second.call('GET', '/readyz')).toMatchObject({ status: 200 })
  const { body } = await second.call<{ results?: unknown[] }>('GET', '/v1/projects/default/integrations')
  expect(JSON.stringify(body)).toContain('bundled')
  expect(await second.end('SIGTERM')).toBe(0)
})

it('loads what few services need when somebody needs it', async () => {
  const service = await start()
  const { headers } = await fetch(`${service.url}/docs`)
  expect(headers.get('content-security-policy')).toContain("script-src 'sha256-")
  const schema = await service.call<{ $schema: string }>('GET', '/schemas/provider.json')
  expect(schema.body.$schema).toBe('http://json-schema.org/draft-07/schema#')
  expect(await service.end('SIGTERM')).toBe(0)
})

const destinations = '/v1/projects/default/destinations'
/** Nothing listens at the endpoint. */
const toQueue = async (name: string) => ({
  name,
  type: 'sqs',
  metadata: {
    queueUrl: 'https://sqs.eu-central-1.amazonaws.com/123456789012/events',
    endpointUrl: `http://127.0.0.1:${await freePort()}/`,
  },
  secrets: { awsKeyId: 'AKIAIOSFODNN7EXAMPLE', awsSecretKey: 'wJalrXUtnFEMIK7MDENGbPxRfiCYEXAMPLEKEY12' },
})

it('says which package is missing in an installation without optional packages', async () => {
  const complete = await start()
  expect(await complete.call('POST', destinations, await toQueue('queue'))).toMatchObject({ status: 201 })
  expect(await complete.call('POST', `${destinations}/queue:test`)).toMatchObject({
    body: { error: expect.stringContaining('refused the connection') },
  })
  await complete.end('SIGTERM')

  const incomplete = await start(await installedWithout('@aws-sdk', join(dataDir, 'installed')))
  const [detail, remedy] = [
    expect.stringContaining('@aws-sdk/client-sqs'),
    expect.stringContaining('npm install --include=optional'),
  ]
  expect(await incomplete.call('POST', destinations, await toQueue('other'))).toMatchObject({
    status: 400,
    body: { issues: [{ name: 'type', detail, remedy }] },
  })
  expect(await incomplete.call('POST', `${destinations}/queue:test`)).toMatchObject({
    status: 200,
    body: { error: detail },
  })
  await incomplete.end('SIGTERM')
})

/** Installs the bundle in a folder, without the packages of a scope. Returns its program. */
async function installedWithout(scope: string, folder: string): Promise<string> {
  const link = async (from: string, leftOut: string) => {
    await mkdir(join(folder, from), { recursive: true })
    for (const name of await readdir(join(root, from)))
      if (name !== leftOut) await symlink(join(root, from, name), join(folder, from, name))
  }
  await link('node_modules', scope)
  await link('packages', 'server')
  await link('packages/server', 'dist')
  await symlink(join(root, 'docs'), join(folder, 'docs'))
  const installed = join(folder, relative(root, program))
  await cp(dirname(program), dirname(installed), { recursive: true })
  return installed
}

function deploy(service: MortiseProcess) {
  const manifest = {
    specVersion: '1.0.0',
    integrations: [{ name: 'bundled', provider: 'hubspot', proxy: { enabled: true } }],
  }
  return service.call('PUT', '/v1/projects/default/integrations:batch', { sourceYaml: JSON.stringify(manifest) })
}
