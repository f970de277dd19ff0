import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { run } from '../run.ts'
import { testTerminal } from '../testkit/test-terminal.ts'

/** What `diff` and `deploy` do where there is no service that answers; with one: `e2e/cli-deploy.test.ts`. */

let cwd: string
beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'mortise-deploy-'))
  await writeFile(
    join(cwd, 'mortise.yaml'),
    'specVersion: 1.0.0\nintegrations: [{name: a, provider: hubspot, proxy: {enabled: true}}]\n',
  )
  return () => rm(cwd, { recursive: true })
})

describe.each(['diff', 'deploy'])('%s', (command) => {
  test('ends in order with Ctrl-C while the service thinks', async () => {
    let asked = () => {}
    const thinking = new Promise<void>((resolve) => {
      asked = resolve
    })
    const service = createServer(() => asked()).listen(0, '127.0.0.1')
    await new Promise((resolve) => service.once('listening', resolve))
    const url = `http://127.0.0.1:${(service.address() as AddressInfo).port}`
    const terminal = testTerminal({ cwd, env: { MORTISE_URL: url, MORTISE_API_KEY: 'key' } })
    const ended = run([command], terminal)
    await thinking
    terminal.interrupt()
    expect(await ended).toBe(130)
    expect(terminal.output().stdout).toBe('')
    service.closeAllConnections()
    await new Promise((resolve) => service.close(resolve))
  })

  test('says that the service cannot be reached', async () => {
    const closed = createServer().listen(0, '127.0.0.1')
    await new Promise((resolve) => closed.once('listening', resolve))
    const { port } = closed.address() as AddressInfo
    await new Promise((resolve) => closed.close(resolve))
    const terminal = testTerminal({ cwd, env: { MORTISE_URL: `http://127.0.0.1:${port}`, MORTISE_API_KEY: 'key' } })
    expect(await run([command], terminal)).toBe(6)
    expect(terminal.output().stderr).toContain('Could not reach')
  })
})
