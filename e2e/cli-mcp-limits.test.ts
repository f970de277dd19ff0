import { execFileSync, spawn } from 'node:child_process'
import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { type ReadingKit, startReadingKit } from '../packages/server/src/features/sync/reading/reading.testkit.ts'
import { startMortise, temporaryFolder } from './cli.testkit.ts'
import { bin, manifest, object, startMcp } from './cli-mcp.testkit.ts'

/** Limits of `mortise mcp`: which files it reads, how long results are, what it says of failures, and how it ends. */

let kit: ReadingKit
let env: Record<string, string>
let cwd: string
beforeAll(async () => {
  kit = await startReadingKit()
  env = { MORTISE_URL: kit.app.url, MORTISE_API_KEY: kit.app.apiKey }
})
afterAll(() => kit?.stop())
beforeEach(async () => {
  cwd = await temporaryFolder()
})

const start = (...args: string[]) => startMcp(args, env, cwd)

describe('files', () => {
  test('are read below the folder only: no path, link, pipe or hidden file leads elsewhere', async () => {
    const outside = await temporaryFolder()
    await writeFile(join(outside, 'secret.yaml'), 'apiKey: out-of-the-folder')
    await mkdir(join(cwd, '.config'))
    await writeFile(join(cwd, '.config/hidden.yaml'), 'apiKey: hidden')
    await writeFile(join(cwd, 'notes.txt'), 'apiKey: not-yaml')
    await writeFile(join(cwd, 'large.yaml'), 'a'.repeat(3_000_000))
    await writeFile(join(cwd, 'binary.yaml'), Buffer.from([0xff, 0xfe, 0xfd]))
    await mkdir(join(cwd, 'folder.yaml'))
    await symlink(join(outside, 'secret.yaml'), join(cwd, 'link.yaml'))
    await symlink(outside, join(cwd, 'linked'))
    await symlink(join(cwd, '.config/hidden.yaml'), join(cwd, 'to-hidden.yaml'))
    execFileSync('mkfifo', [join(cwd, 'pipe.yaml')])
    const { call } = await start()
    const paths: [path: string, problem: string][] = [
      [join(outside, 'secret.yaml'), 'is not below'],
      [`../${outside.split('/').at(-1)}/secret.yaml`, 'is not below'],
      ['link.yaml', 'is not below'],
      ['linked/secret.yaml', 'is not below'],
      ['/etc/passwd', 'is not below'],
      ['/proc/self/environ', 'is not below'],
      ['.', 'is not below'],
      ['.config/hidden.yaml', 'is hidden'],
      ['to-hidden.yaml', 'is hidden'],
      ['notes.txt', 'is not a YAML file'],
      ['absent.yaml', 'There is no file'],
      ['folder.yaml', 'is not a file'],
      ['pipe.yaml', 'is not a file'],
      ['large.yaml', 'is larger than'],
      ['binary.yaml', 'is not text in UTF-8'],
      ['nul\0.yaml', 'There is no file'],
      ['x'.repeat(513), 'path: Too big'],
    ]
    for (const [path, problem] of paths)
      for (const tool of ['validate_manifest', 'check_provider_file']) {
        const { isError, texts } = await call(tool, { path })
        expect([path, isError, texts[0]]).toEqual([path, true, expect.stringContaining(problem)])
        expect(texts.join('\n')).not.toMatch(/apiKey|out-of-the-folder/)
      }
  })

  test('are not read where the folder has more than a project, and a text still works', async () => {
    for (const folder of ['/', env['HOME'] ?? cwd]) {
      const { call } = await startMcp(['--folder', folder], { ...env, HOME: cwd }, cwd)
      const { isError, texts } = await call('validate_manifest', { path: 'etc/netplan/network.yaml' })
      expect([isError, texts[0]]).toEqual([true, expect.stringContaining('Start the server with --folder')])
      expect((await call('validate_manifest', { text: 'specVersion: 1.0.0' })).data).toMatchObject({ valid: false })
    }
  })

  test('are named relative to --folder, and the manifest of that folder is the default', async () => {
    await mkdir(join(cwd, 'integrations'))
    await writeFile(join(cwd, 'integrations/mortise.yaml'), manifest('x', object('contacts')))
    const { call } = await start('--folder', 'integrations')
    const { data } = await call('validate_manifest', { ownProviders: ['sampleCrm'] })
    expect(data).toMatchObject({ valid: true })
    const { call: elsewhere } = await start()
    expect((await elsewhere('plan_deploy')).texts[0]).toContain('There is no manifest in')
  })
})

describe('a result that is too long', () => {
  test('is cut at a line, and its cursors lead through all of it', async () => {
    const wrong = Array.from({ length: 400 }, (_, index) => object(`object${index}`).replace('}', ', enabled: never}'))
    await writeFile(join(cwd, 'mortise.yaml'), manifest('long', ...wrong))
    const { call } = await start()
    const args = { ownProviders: ['sampleCrm'] }
    let [cursor, json, parts] = [undefined as string | undefined, '', 0]
    do {
      const { texts } = await call('validate_manifest', { ...args, ...(cursor && { cursor }) })
      expect(texts[1]?.length).toBeLessThanOrEqual(24_000)
      json += `${texts[1]}\n`
      cursor = /cursor "([^"]+)"/.exec(texts[2] ?? '')?.[1]
      parts++
    } while (cursor !== undefined)
    expect(parts).toBeGreaterThan(1)
    expect(JSON.parse(json)).toMatchObject({ valid: false, findings: { length: 100 } })
    const { isError, texts } = await call('validate_manifest', { ...args, cursor: 'from-99999999' })
    expect([isError, texts[0]]).toEqual([true, expect.stringContaining('Call again without it')])
  })

  test('of a list ends before a row, and the next page begins with it', async () => {
    const names = Array.from({ length: 95 }, (_, index) => `many-${String(index).padStart(3, '0')}-${'x'.repeat(85)}`)
    for (const name of names) {
      const body = { name, type: 'webhook', metadata: { url: `https://example.com/${'y'.repeat(400)}` } }
      expect(await kit.app.call('POST', '/projects/default/destinations', body)).toMatchObject({ status: 201 })
    }
    const { call } = await start()
    const seen: string[] = []
    let [cursor, pages] = [undefined as string | undefined, 0]
    do {
      const { data, texts } = await call('list_destinations', { limit: 100, ...(cursor && { cursor }) })
      expect(texts[1]?.length).toBeLessThanOrEqual(25_000)
      seen.push(...data.rows.map(({ name }: { name: string }) => name))
      cursor = data.nextCursor
      pages++
    } while (cursor !== undefined)
    expect(pages).toBeGreaterThan(1)
    expect(seen.toSorted()).toEqual([...names, 'hook'].toSorted())
    expect(await call('list_destinations', { cursor: 'nonsense' })).toMatchObject({ isError: true })
    for (const name of names) await kit.app.call('DELETE', `/projects/default/destinations/${name}`)
  })
})

describe('what goes wrong', () => {
  test('is said in words to act on: arguments, names, keys, and a service that is down', async () => {
    const { call } = await start()
    const { isError, texts } = await call('list_operations', { limit: 0, status: 'odd', extra: 1 })
    expect(isError).toBe(true)
    for (const name of ['limit', 'status', 'extra']) expect(texts[0]).toContain(name)
    expect((await call('no_such_tool')).texts[0]).toContain('validate_manifest')
    expect((await call('get_integration', { integration: 'nothing' })).texts[0]).toContain(
      'List the integrations of the project',
    )
    expect((await call('get_message', { message: '../../x' })).isError).toBe(true)

    const wrongKey = await startMcp([], { ...env, MORTISE_API_KEY: 'mortise_wrong' }, cwd)
    expect(await wrongKey.call('list_integrations')).toMatchObject({
      isError: true,
      texts: [expect.stringContaining('API key'), expect.any(String)],
    })
    const noKey = await startMcp([], { MORTISE_URL: kit.app.url }, cwd)
    expect((await noKey.call('list_integrations')).texts[0]).toContain('mortise login')
    expect((await noKey.call('read_docs', { page: 'proxy' })).texts[0]).toContain('# Proxy')

    const down = await startMcp([], { ...env, MORTISE_URL: 'http://127.0.0.1:9' }, cwd)
    const refused = await down.call('list_integrations')
    expect(refused).toMatchObject({ isError: true, texts: [expect.stringContaining('Could not reach')] })
    expect((await down.call('validate_manifest', { text: 'specVersion: 1.0.0' })).data).toMatchObject({ valid: false })
    expect((await down.call('run_doctor')).data).toMatchObject({ healthy: false })
  })

  test('a request that is cancelled ends at the service too, and the next one is answered', async () => {
    const { url, waiting, closed } = await silentService()
    const { call } = await startMcp([], { ...env, MORTISE_URL: url }, cwd)
    const controller = new AbortController()
    const cancelled = call('list_integrations', {}, controller.signal)
    await waiting
    controller.abort(new Error('enough'))
    await expect(cancelled).rejects.toThrow('enough')
    await closed
    expect((await call('validate_manifest', { text: 'a' })).data).toMatchObject({ valid: false })
  })

  test('what is no message of the protocol is reported, and the next one is answered', async () => {
    const line = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' })
    const running = startMortise(['mcp'], env, `nonsense\n{"jsonrpc":"2.0"}\n\n${line}\n`)
    const { code, stdout, stderr } = await running.done
    expect([code, JSON.parse(stdout)]).toEqual([0, { jsonrpc: '2.0', id: 1, result: {} }])
    expect(stderr).toContain('mortise mcp: ')
  })
})

describe('the process', () => {
  test('ends with 0 when its input ends, and says nothing', async () => {
    expect(await startMortise(['mcp'], env, '').done).toEqual({ code: 0, stdout: '', stderr: '' })
  })

  test('ends with 0 when its input ends during a call, which ends at the service too', async () => {
    const { url, waiting, closed } = await silentService()
    const { child, ended } = openProcess({ MORTISE_URL: url })
    await waiting
    child.stdin.end()
    expect(await ended).toBe(0)
    await closed
  })

  test('ends in order by SIGTERM', async () => {
    const { url, waiting, closed } = await silentService()
    const { child, ended } = openProcess({ MORTISE_URL: url })
    await waiting
    child.kill('SIGTERM')
    expect(await ended).toBe(130)
    await closed
  })
})

/** Starts the server and a call of a tool, and leaves its input open. */
function openProcess(more: Record<string, string>) {
  const child = spawn(process.execPath, [bin, 'mcp'], {
    cwd,
    env: { PATH: process.env['PATH'], MORTISE_CONFIG_DIR: cwd, ...env, ...more },
    stdio: ['pipe', 'ignore', 'inherit'],
  })
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve))
  onTestFinished(() => void child.kill('SIGKILL'))
  const clientInfo = { name: 'test', version: '1' }
  const messages = [
    { id: 0, method: 'initialize', params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo } },
    { method: 'notifications/initialized' },
    { id: 1, method: 'tools/call', params: { name: 'list_integrations', arguments: {} } },
  ]
  for (const message of messages) child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  return { child, ended }
}

/** A service that accepts requests and never answers. `waiting`: it has one; `closed`: that one has been given up. */
async function silentService() {
  const waiting = Promise.withResolvers<void>()
  const closed = Promise.withResolvers<void>()
  let connections = 0
  const server = createServer(() => waiting.resolve())
  server.on('connection', (socket) => {
    connections++
    socket.on('close', () => {
      connections--
      if (connections === 0) closed.resolve()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { url, waiting: waiting.promise, closed: closed.promise }
}
