import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'

/** Whether this machine has a Redis to test with. `MORTISE_REQUIRE_REDIS=1` requires one. */
export function hasRedisServer(): boolean {
  try {
    execFileSync('redis-server', ['--version'], { stdio: 'ignore' })
    return true
  } catch (error) {
    if (process.env['MORTISE_REQUIRE_REDIS'] === '1') throw new Error('there is no redis-server', { cause: error })
    console.warn('Tests with a real Redis are skipped: install redis-server.')
    return false
  }
}

export interface RedisServer {
  port: number
  stop(): Promise<void>
}

/** Starts a Redis of its own that stores nothing. */
export async function startRedisServer({ port: fixedPort = 0 } = {}): Promise<RedisServer> {
  const dir = await mkdtemp(path.join(tmpdir(), 'mortise-redis-'))
  const port = fixedPort === 0 ? await freePort() : fixedPort
  const settings = ['--port', String(port), '--bind', '127.0.0.1', '--dir', dir, '--save', '', '--databases', '4']
  const child: ChildProcess = spawn('redis-server', settings, { stdio: ['ignore', 'pipe', 'inherit'] })
  const exited = once(child, 'exit')
  let log = ''
  await new Promise<void>((resolve, reject) => {
    child.stdout?.on('data', (chunk) => {
      log += chunk
      if (log.includes('Ready to accept connections')) resolve()
    })
    child.once('exit', () => reject(new Error(log)))
  })
  return {
    port,
    async stop() {
      child.kill()
      await exited
      await rm(dir, { recursive: true, force: true })
    },
  }
}

async function freePort(): Promise<number> {
  const server = createServer()
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}
