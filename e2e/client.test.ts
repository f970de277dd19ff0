import { spawn } from 'node:child_process'
import { createHmac, randomBytes } from 'node:crypto'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createClient, MortiseProblem, verifyWebhook } from '@mortise/client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestApp, type TestApp } from '../packages/server/src/testkit/test-app.ts'

/** The client against the real service, and every example of its README. */

const readme = await readFile(new URL('../packages/client/README.md', import.meta.url), 'utf8')
const examples = [...readme.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, code]) => code!)

let app: TestApp
beforeAll(async () => {
  app = await startTestApp({ env: { MORTISE_ROLES: 'api' } })
})
afterAll(() => app?.stop())

const connect = () => createClient({ baseUrl: app.url, apiKey: app.apiKey, project: 'default' })

describe('the README of the client', () => {
  test('has examples', () => expect(examples.length).toBeGreaterThan(4))

  test.each(examples.map((code, index) => [index + 1, code] as const))('example %i runs', async (_, code) => {
    // Inside the package, so that its name leads to itself.
    const folder = await mkdtemp(new URL('../packages/client/.example-', import.meta.url).pathname)
    try {
      const file = join(folder, 'example.ts')
      await writeFile(file, code)
      const { exitCode, output } = await run(file, { MORTISE_URL: app.url, MORTISE_API_KEY: app.apiKey })
      expect(exitCode, output).toBe(0)
    } finally {
      await rm(folder, { recursive: true })
    }
  })
})

test('a call and its problem come typed from the real service', async () => {
  const mortise = connect()
  const [project] = await mortise.listProjects()
  expect(project?.name).toBe('default')
  const error = await mortise
    .createDestination({ body: { name: 'a b', type: 'webhook', metadata: { url: 'x' } } })
    .catch((thrown) => thrown)
  expect(error).toBeInstanceOf(MortiseProblem)
  expect(error.issues.map(({ name }: { name: string }) => name)).toEqual(['name', 'metadata.url'])
})

test('a webhook is verified under either set of header names, with any of several secrets', () => {
  const secret = `whsec_${randomBytes(24).toString('base64')}`
  const body = JSON.stringify({ notificationType: 'connection.created', data: {} })
  const timestamp = String(Math.floor(Date.now() / 1000))
  const signature = createHmac('sha256', Buffer.from(secret.slice(6), 'base64'))
    .update(`msg_1.${timestamp}.${body}`)
    .digest('base64')
  for (const prefix of ['webhook', 'svix']) {
    const headers = {
      [`${prefix}-id`]: 'msg_1',
      [`${prefix}-timestamp`]: timestamp,
      [`${prefix}-signature`]: `v1,${signature}`,
    }
    expect(verifyWebhook(body, headers, secret)).toEqual(JSON.parse(body))
    expect(verifyWebhook(Buffer.from(body), new Headers(headers), ['whsec_AAAA', secret])).toEqual(JSON.parse(body))
    expect(() => verifyWebhook(`${body} `, headers, secret)).toThrow()
    expect(() => verifyWebhook(body, {}, secret)).toThrow()
  }
})

async function run(file: string, env: Record<string, string>): Promise<{ exitCode: number | null; output: string }> {
  const child = spawn(process.execPath, ['--conditions=mortise-source', file], { env: { ...process.env, ...env } })
  let output = ''
  child.stdout.on('data', (chunk) => (output += chunk))
  child.stderr.on('data', (chunk) => (output += chunk))
  const exitCode = await new Promise<number | null>((resolve) => child.on('close', resolve))
  return { exitCode, output }
}
