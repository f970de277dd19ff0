import { execFileSync, spawnSync } from 'node:child_process'
import { describe, expect, test } from 'vitest'
import { createProgram, run } from '../run.ts'
import { testTerminal } from '../testkit/test-terminal.ts'

async function scriptFor(shell: string): Promise<string> {
  const terminal = testTerminal()
  expect(await run(['completion', shell], terminal)).toBe(0)
  return terminal.output().stdout
}

describe('bash', () => {
  /** What a real bash offers where the last word is being typed. */
  async function complete(...words: string[]): Promise<string[]> {
    const line = ['mortise', ...words].map((word) => `'${word}'`).join(' ')
    const script = `set -u; ${await scriptFor('bash')}\nCOMP_WORDS=(${line}); COMP_CWORD=${words.length}; _mortise; printf '%s\\n' "\${COMPREPLY[@]-}"`
    return execFileSync('bash', ['--norc', '-c', script], { encoding: 'utf8' })
      .split('\n')
      .filter((word) => word !== '')
  }
  const commands = createProgram(testTerminal()).commands.map((command) => command.name())

  test('offers every command', async () => {
    expect(await complete('')).toEqual(commands)
    expect(await complete('dep')).toEqual(['deploy'])
  })

  test('offers the options of the command, and those of the program', async () => {
    expect(await complete('deploy', '--')).toEqual(
      expect.arrayContaining(['--url', '--key', '--destructive', '--keep', '--yes', '--format', '--help']),
    )
    expect(await complete('deploy', '--des')).toEqual(['--destructive'])
    expect(await complete('--ver')).toEqual(['--version'])
    expect(await complete('validate', '--des')).toEqual([])
  })

  test('offers what an option, or an argument, can be', async () => {
    expect(await complete('validate', '--format', '')).toEqual(['text', 'json', 'yaml', 'github'])
    expect(await complete('validate', 'file.yaml', '-f', 'j')).toEqual(['json'])
    expect(await complete('completion', '')).toEqual(['bash', 'zsh', 'fish'])
  })

  test('leaves files to bash', async () => {
    expect(await complete('deploy', '')).toEqual([])
    expect(await complete('deploy', '--project', '')).toEqual([])
  })
})

/** Where the shell is not installed, its script is only read here. */
const has = (shell: string) => spawnSync(shell, ['-c', 'true']).status === 0

test('zsh: names every command and option, and is a script', async () => {
  const script = await scriptFor('zsh')
  for (const command of createProgram(testTerminal()).commands) {
    expect(script).toContain(`'${command.name()}:`)
    for (const { long } of command.options) expect(script).toContain(`'${long}:`)
  }
  if (has('zsh')) execFileSync('zsh', ['-n'], { input: script })
})

test('fish: names every command and option, and is a script', async () => {
  const script = await scriptFor('fish')
  for (const command of createProgram(testTerminal()).commands) {
    expect(script).toContain(`-a '${command.name()}'`)
    for (const { long } of command.options) expect(script).toContain(`-l ${long?.slice(2)}`)
  }
  if (has('fish')) execFileSync('fish', ['--no-execute'], { input: script })
})

test('another shell is refused, with those that there are', async () => {
  const terminal = testTerminal()
  expect(await run(['completion', 'tcsh'], terminal)).toBe(2)
  expect(terminal.output().stderr).toContain('bash, zsh, fish')
})
