import { mkdtemp, rm, utimes, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { whileLocked } from './file-lock.ts'
import { freshToken, keptTokens } from './fresh-token.ts'
import { keepSession, readSession, type Session } from './session-file.ts'

let env: Record<string, string>
beforeEach(async () => {
  const folder = await mkdtemp(join(tmpdir(), 'mortise-session-'))
  env = { MORTISE_CONFIG_DIR: folder }
  onTestFinished(() => rm(folder, { recursive: true }))
})

/** A service that exchanges each refresh token once, as the real one does. */
async function service(status = 200) {
  const seen: string[] = []
  let count = 0
  const server = createServer(async (request, answer) => {
    let body = ''
    for await (const chunk of request) body += chunk
    const { refreshToken } = JSON.parse(body)
    const refused = seen.includes(refreshToken) || status !== 200
    seen.push(refreshToken)
    count++
    const tokens = { accessToken: `access${count}`, refreshToken: `refresh${count}`, expiresAt: inMinutes(30) }
    answer.writeHead(refused ? (status === 200 ? 401 : status) : 200, { 'content-type': 'application/json' })
    answer.end(JSON.stringify(refused ? { title: 'ended', status } : tokens))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  return { seen, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

const inMinutes = (minutes: number) => new Date(Date.now() + minutes * 60_000).toISOString()

async function kept(url: string, minutes: number): Promise<Session> {
  const session = { url, email: 'ada@example.com', project: 'shop', accessToken: 'access0', refreshToken: 'refresh0' }
  const whole = { ...session, accessTokenExpiresAt: inMinutes(minutes) }
  await keepSession(env, whole)
  return whole
}

test('a token that lasts is used as it is', async () => {
  const { url, seen } = await service()
  expect(await freshToken(await kept(url, 5), env)()).toBe('access0')
  expect(seen).toEqual([])
})

test('one that ends within a minute is renewed, and the next command finds the new ones', async () => {
  const { url } = await service()
  expect(await freshToken(await kept(url, 0.9), env)()).toBe('access1')
  expect(await readSession(env)).toMatchObject({
    project: 'shop',
    accessToken: 'access1',
    refreshToken: 'refresh1',
  })
})

test('commands at once renew once', async () => {
  const { url, seen } = await service()
  const session = await kept(url, 0)
  const tokens = await Promise.all(
    // Each as a separate process would have it, and called twice.
    Array.from({ length: 5 }, () => freshToken(session, env)).flatMap((token) => [token(), token()]),
  )
  expect(new Set(tokens)).toEqual(new Set(['access1']))
  expect(seen).toEqual(['refresh0'])
})

test('a session that has ended is forgotten, and what to do is said', async () => {
  const { url } = await service(401)
  await expect(freshToken(await kept(url, 0), env)()).rejects.toThrow('mortise login')
  expect(await readSession(env, url)).toBeUndefined()
})

test('a service that is away for a moment ends no session', async () => {
  const { url, seen } = await service(503)
  await expect(freshToken(await kept(url, 0), env)()).rejects.toThrow()
  expect(seen).toHaveLength(1)
  expect(await readSession(env, url)).toMatchObject({ refreshToken: 'refresh0' })
})

test('sign-ins at two services do not touch each other', async () => {
  await Promise.all(['http://a', 'http://b', 'http://c'].map((url) => kept(url, 1)))
  for (const url of ['http://a', 'http://b', 'http://c']) expect(await readSession(env, url)).toMatchObject({ url })
})

test('a lock that a killed command left is broken', async () => {
  const file = join(env['MORTISE_CONFIG_DIR']!, 'lock')
  await writeFile(file, 'somebody')
  const old = new Date(Date.now() - 31_000)
  await utimes(file, old, old)
  expect(await whileLocked(file, async () => 'done')).toBe('done')
})

test('the end of a token is reckoned by the clock of this computer', () => {
  const claims = { iat: 1_000_000, exp: 1_001_800 }
  const accessToken = `e30.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.x`
  const { accessTokenExpiresAt } = keptTokens({ accessToken, expiresAt: '1970-01-12T14:16:40Z' } as never)
  expect(Math.abs(Date.parse(accessTokenExpiresAt) - Date.now() - 1_800_000)).toBeLessThan(5_000)
})
