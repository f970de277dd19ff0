import { readFile } from 'node:fs/promises'
import type { Command } from 'commander'
import { describe, expect, test } from 'vitest'
import { createProgram } from './run.ts'
import { testTerminal } from './testkit/test-terminal.ts'

/**
 * `docs/cli.md` against the program: a section for each command, which names its arguments and options and no others.
 */

const page = await readFile(new URL('../../../docs/cli.md', import.meta.url), 'utf8')
const program = createProgram(testTerminal())
/** Explained once, at the top of the page. */
const common = new Set(['--url', '--key', '--project', '--format', '--json', '--help', '--version'])

/** Commands by their whole name; one with commands below it stands for those. */
function allOf(command: Command, prefix = ''): [name: string, command: Command][] {
  return command.commands
    .filter((below) => below.name() !== 'help')
    .flatMap((below): [string, Command][] => {
      const name = `${prefix}${below.name()}`
      return below.commands.length > 0 ? allOf(below, `${name} `) : [[name, below]]
    })
}
const commands = allOf(program)
/** Text of each section `## mortise NAME`. */
const sections = new Map(
  [...page.matchAll(/^## mortise (.+)\n([\s\S]*?)(?=^## |(?![\s\S]))/gm)].map(([, name, text]) => [name!, text!]),
)
const topOfPage = page.slice(0, page.indexOf('\n## mortise '))

test('the page has a section for each command, in the order of the help', () => {
  expect([...sections.keys()]).toEqual(commands.map(([name]) => name))
})

test('the top of the page explains the options that many commands have', () => {
  for (const option of common) if (option !== '--help') expect(topOfPage).toContain(`\`${option}`)
})

describe.each(commands)('mortise %s', (name, command) => {
  const section = sections.get(name) ?? ''
  const own = command.options.map(({ long }) => long!).filter((long) => !common.has(long))

  test('its section names its options, and no others', () => {
    const named = new Set([...section.matchAll(/(?<![\w-])--[a-z][a-z-]*/g)].map(([flag]) => flag))
    expect([...named].filter((flag) => !common.has(flag)).toSorted()).toEqual(own.toSorted())
  })

  test('its section names its arguments, shows an example and tells exit codes', () => {
    for (const argument of command.registeredArguments) expect(section).toContain(argument.name())
    expect(section).toContain('```sh\n')
    expect(section).toMatch(/exit codes?/i)
  })

  test('its help has an example', () => {
    let help = ''
    command.configureOutput({ writeOut: (text) => (help += text) }).outputHelp()
    expect(help).toContain(`Example`)
    expect(help).toContain(`mortise ${name}`)
  })
})
