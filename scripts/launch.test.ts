import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, cp, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'

/** A repository with these scripts and one dependency, `node`, which npm can install without a network. */
let root: string
/**
 * The same with its dependencies installed, to be copied: npm takes seconds, and most tests are about what comes after
 * it.
 */
let installed: string

beforeAll(async () => {
  await makeRepository()
  installed = root
  expect(await run('program.mjs')).toMatchObject({ code: 0, stderr: 'installing dependencies…\n' })
})
beforeEach(makeRepository)
afterEach(() => rm(root, { recursive: true, force: true }))
afterAll(() => rm(installed, { recursive: true, force: true }))

async function makeRepository() {
  root = await mkdtemp(path.join(tmpdir(), 'mortise-launch-'))
  for (const name of await readdir(import.meta.dirname)) {
    if (name.endsWith('.mjs') && !name.startsWith('check-'))
      await cp(path.join(import.meta.dirname, name), path.join(root, 'scripts', name))
  }
  await write('node/package.json', JSON.stringify({ name: 'node', version: '24.0.0' }))
  await write('node/bin/node', `#!/bin/sh\nexec "${process.execPath}" "$@"\n`)
  await chmod(path.join(root, 'node/bin/node'), 0o755)
  await write('package.json', JSON.stringify({ name: 'r', version: '1.0.0', dependencies: { node: 'file:node' } }))
  await writeLock('24.0.0')
  await write(
    'program.mjs',
    'console.log(JSON.stringify([process.argv.slice(2), process.execArgv, process.env.MORTISE_X]))',
  )
}

/** Puts the installed repository in the place of the new one. */
async function takeInstalled() {
  await rm(root, { recursive: true })
  await cp(installed, root, { recursive: true, verbatimSymlinks: true, preserveTimestamps: true })
}

describe('the dependencies', () => {
  it('are installed once when two start at once, and not again', async () => {
    const [one, two] = await Promise.all([run('program.mjs'), run('program.mjs')])
    expect([one.code, two.code]).toEqual([0, 0])
    expect((one.stderr + two.stderr).match(/installing dependencies…/g)).toHaveLength(1)
    expect(await run('program.mjs')).toMatchObject({ code: 0, stderr: '' })
    expect(await readdir(path.join(root, '.mortise'))).toEqual([])
  })

  it('are installed again when the lockfile says something else than what is there', async () => {
    await takeInstalled()
    await write('node/package.json', JSON.stringify({ name: 'node', version: '24.0.1' }))
    await writeLock('24.0.1')
    expect(await run('program.mjs')).toMatchObject({ code: 0, stderr: 'installing dependencies…\n' })
    expect(await run('program.mjs')).toMatchObject({ code: 0, stderr: '' })
  })

  it('are installed again when their Node cannot run on this machine, once', async () => {
    await takeInstalled()
    await write('node/bin/node', 'not a program')
    const { code, stderr } = await run('program.mjs')
    expect(code).toBe(1)
    expect(stderr).toBe(
      'installing dependencies…\nnpm ci installed everything, but the Node in node_modules cannot run on this machine.\n',
    )
  })

  it('that cannot be installed end the start with what npm says', async () => {
    await write('package-lock.json', JSON.stringify({ name: 'r', lockfileVersion: 3, packages: { '': {} } }))
    const { code, stderr } = await run('program.mjs')
    expect(code).toBe(1)
    expect(stderr).toMatch(/^installing dependencies…\n.*Missing: node@.*\nnpm ci failed \(exit code 1\)\.\n$/s)
  })

  it('are not waited for when whoever installed them was killed', async () => {
    await write('.mortise/install.lock', '2147483646\n')
    expect(await run('program.mjs')).toMatchObject({ code: 0, stderr: 'installing dependencies…\n' })
  })
})

describe('a program', () => {
  beforeEach(takeInstalled)

  it('runs from source on the installed Node, with its arguments and settings', async () => {
    const { stdout } = await run('program.mjs', '--new-key', 'a b')
    expect(JSON.parse(stdout)).toEqual([
      ['--new-key', 'a b'],
      ['--disable-warning=ExperimentalWarning', '--conditions=mortise-source'],
      'kept',
    ])
  })

  it('gives its exit code', async () => {
    await write('program.mjs', 'process.exit(7)')
    expect((await run('program.mjs')).code).toBe(7)
  })

  it.each(['SIGTERM', 'SIGHUP'] as const)('gets %s and is waited for', async (signal) => {
    await write(
      'program.mjs',
      `process.once('${signal}', () => setTimeout(() => { console.log('drained'); process.exit(3) }, 50))
       setInterval(() => {}, 1000); console.log('up')`,
    )
    const child = begin('program.mjs')
    const [up] = await once(child.stdout, 'data')
    expect(String(up)).toBe('up\n')
    child.kill(signal)
    const [output, [code]] = await Promise.all([text(child.stdout), once(child, 'exit')])
    expect([output, code]).toEqual(['drained\n', 3])
  })

  it('that a signal ended gives 128 and its number', async () => {
    await write('program.mjs', `process.kill(process.pid, 'SIGKILL')`)
    expect((await run('program.mjs')).code).toBe(137)
  })
})

it('says how to use it', async () => {
  expect(await run()).toMatchObject({ code: 2, stderr: expect.stringContaining('usage: node scripts/run.mjs FILE') })
})

it('says which checks failed, and runs the others', async () => {
  const passes = `console.log('ran', process.argv[1])`
  await takeInstalled()
  await write('node_modules/@biomejs/biome/bin/biome', 'process.exit(1)')
  await write('node_modules/typescript/bin/tsc', passes)
  await write('scripts/check-names.mjs', 'process.exit(1)')
  await write('scripts/check-zeal.mjs', passes)
  const { code, stdout, stderr } = await run('--check')
  expect(code).toBe(1)
  expect(stdout).toMatch(
    /› types\nran .*tsc\n(?:› types of browser code in .*\nran .*tsc\n)+› names\n› zeal\nran .*check-zeal.mjs\n$/,
  )
  expect(stderr).toBe('failed: format, lint and imports, names\n')
})

function begin(...args: string[]) {
  return spawn(process.execPath, [path.join(root, 'scripts/run.mjs'), ...args], {
    cwd: root,
    env: { ...process.env, MORTISE_X: 'kept' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}

async function run(...args: string[]) {
  const child = begin(...args)
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')])
  return { code: code as number | null, stdout, stderr }
}

async function write(file: string, content: string) {
  const target = path.join(root, file)
  await mkdir(path.dirname(target), { recursive: true })
  await writeFile(target, content)
}

function writeLock(version: string) {
  const packages = {
    '': { name: 'r', version: '1.0.0', dependencies: { node: 'file:node' } },
    node: { version },
    'node_modules/node': { resolved: 'node', link: true },
  }
  return write('package-lock.json', JSON.stringify({ name: 'r', version: '1.0.0', lockfileVersion: 3, packages }))
}
