import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { startSampleCrm } from '@mortise-examples/sample-crm'
import { createCall } from '../../examples/demo/src/api.ts'
import { connect, createReceiver, deploy, install } from '../../examples/demo/src/customer.ts'
import { sampleCrmProviders } from '../../packages/server/src/features/sync/reading/reading.testkit.ts'
import { type MortiseProcess, startMortise } from '../mortise-process.testkit.ts'
import type { Attack } from './attack.ts'

/**
 * Runs the service where any use of `__proto__` throws and `Object.prototype` is frozen: what merged a hostile key into
 * a prototype, or relied on one, ends with an error. The walk goes from the deployment of a manifest to delivered
 * messages, and sends hostile keys on the way. The long form runs the tests of all packages in the same surroundings.
 */

const root = fileURLToPath(new URL('../../', import.meta.url))
const preload = new URL('frozen-prototype.mjs', import.meta.url).href
const contacts = 500
const run = promisify(execFile)
const surroundings = { NODE_OPTIONS: `--disable-proto=throw --import=${preload}` }

/** Tests that fail in these surroundings, each for a good reason. */
const exceptions: Record<string, string> = {
  'what is answered repeated headers are joined, and names of the language are only names':
    'undici looks whether a header is called `__proto__`, in order to define it as a property; here that throws, and the request fails.',
}

export const attack: Attack = {
  id: 'S17',
  title: 'The service needs no `__proto__`, and no input changes a prototype.',
  async run({ long }) {
    const faults = await notFrozen()
    const walked = await walk(faults)
    const tests = long ? await testPackages(faults) : { tests: 'run by the long form' }
    return { passed: walked.recordsDelivered >= contacts, figures: { ...walked, ...tests }, faults }
  },
}

/** Checks in a process of its own that the surroundings are what they should be. */
async function notFrozen(): Promise<string[]> {
  const attempts = {
    '__proto__ can be read': '({}).__proto__',
    'Object.prototype can be extended': `Object.prototype.polluted = 1; if (!('polluted' in {})) throw 1`,
    'Object.prototype can be changed': 'Object.prototype.toString = 1',
  }
  const possible = await Promise.all(
    Object.entries(attempts).map(([what, code]) =>
      run(process.execPath, ['--input-type=module', '-e', code], { env: { ...process.env, ...surroundings } }).then(
        () => [`${what}: the attack proves nothing.`],
        () => [],
      ),
    ),
  )
  return possible.flat()
}

async function walk(faults: string[]) {
  const home = await mkdtemp(join(tmpdir(), 'mortise-s17-'))
  const crm = await startSampleCrm({ contacts, rateLimit: 0 })
  let service: MortiseProcess | undefined
  try {
    service = await startMortise({
      MORTISE_DATA_DIR: home,
      MORTISE_PROVIDERS_DIR: sampleCrmProviders,
      MORTISE_ALLOW_PRIVATE_NETWORK: 'loopback',
      MORTISE_RATE_LIMIT: '0',
      ...surroundings,
    })
    const apiKey = (await readFile(join(home, 'api-key'), 'utf8')).trim()
    const call = createCall(service.url, apiKey)
    const receiver = await createReceiver(call, 'demoWebhook')
    try {
      const integrationId = await deploy(call)
      const connectionId = await connect(call, 'acme', crm)
      const customer = { integrationId, groupRef: 'acme', connectionId, destination: 'demoWebhook' }
      const installationId = await install(call, customer)
      const installation = `/v1/projects/default/integrations/${integrationId}/installations/${installationId}`
      const hostileRequests = await sendHostileKeys(service.url, apiKey, installation, faults)
      const { distinctRecords } = await receiver.waitFor((counters) => counters.distinctRecords >= contacts, 60_000)
      if (service.child.exitCode !== null) faults.push('the service ended.')
      return { recordsDelivered: distinctRecords, hostileRequests }
    } finally {
      await receiver.close()
    }
  } finally {
    await service?.end('SIGTERM')
    await crm.close()
    await rm(home, { recursive: true, force: true })
  }
}

/**
 * Sends keys that would reach a prototype, to operations that merge, patch or keep what they are sent. Returns their
 * number.
 */
async function sendHostileKeys(url: string, apiKey: string, installation: string, faults: string[]): Promise<number> {
  const project = '/v1/projects/default'
  const values = ['{"polluted":1}', '"x"', '[]']
  const keys = ['"__proto__"', '"constructor"', '"prototype"', '"toString"', '"\\u005f_proto__"', '"hasOwnProperty"']
  const targets: [method: string, path: string, body: (member: string) => string][] = [
    ['POST', `${project}/destinations`, (member) => `{"name":"h","type":"webhook","metadata":{${member}}}`],
    [
      'POST',
      `${project}/destinations`,
      (member) => `{"name":"h","type":"webhook","metadata":{"url":"https://203.0.114.5/","headers":{${member}}}}`,
    ],
    [
      'POST',
      `${project}/connections:generate`,
      (member) =>
        `{"groupRef":"g","consumerRef":"c","provider":"sampleCrm","apiKey":"k","providerMetadata":{${member}}}`,
    ],
    [
      'PATCH',
      installation,
      (member) =>
        `{"updateMask":["config.content.read.objects"],"installation":{"config":{"content":{"read":{"objects":{${member}}}}}}}`,
    ],
    ['PATCH', installation, (member) => `{"updateMask":[${member.split(':')[0]}],"installation":{${member}}}`],
    [
      'PUT',
      `${project}/integrations:batch`,
      (member) => `{"sourceYaml":${JSON.stringify(`specVersion: 1.0.0\n${member}`)}}`,
    ],
    ['POST', '/v1/sessions', (member) => `{"email":"a@example.com","password":"x",${member}}`],
  ]
  let sent = 0
  for (const [method, path, body] of targets)
    for (const key of keys)
      for (const value of values) {
        const answer = await fetch(`${url}${path}`, {
          method,
          headers: { 'X-Api-Key': apiKey, 'Content-Type': 'application/json' },
          body: body(`${key}:${value}`),
        })
        await answer.text()
        sent++
        if (answer.status >= 500) faults.push(`${method} ${path} answers ${answer.status} to ${key}: ${value}.`)
      }
  return sent
}

/** Runs the tests that need no service in the same surroundings. */
async function testPackages(faults: string[]): Promise<Record<string, number>> {
  const folder = await mkdtemp(join(tmpdir(), 'mortise-s17-'))
  const file = join(folder, 'tests.json')
  const args = [
    'run',
    '--configLoader=native',
    '--project',
    'parts',
    '--maxWorkers=1',
    '--reporter=json',
    `--outputFile=${file}`,
  ]
  try {
    // Its exit code says no more than the report does.
    await run(process.execPath, [join(root, 'node_modules/vitest/vitest.mjs'), ...args], {
      cwd: root,
      env: { ...withoutVitest(), ...surroundings },
      maxBuffer: 256 * 1024 * 1024,
    }).catch(() => undefined)
    const report = JSON.parse(await readFile(file, 'utf8')) as {
      numPassedTests: number
      testResults: { assertionResults: { status: string; fullName: string }[] }[]
    }
    const failed = report.testResults
      .flatMap(({ assertionResults }) => assertionResults)
      .filter(({ status, fullName }) => status === 'failed' && exceptions[fullName] === undefined)
    faults.push(...failed.map(({ fullName }) => `fails: ${fullName}`))
    return { tests: report.numPassedTests, testsFailed: failed.length, testsExcepted: Object.keys(exceptions).length }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** The environment without what this run of Vitest tells its workers. */
function withoutVitest(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('VITEST')))
}
