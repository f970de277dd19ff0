import { Argument } from 'commander'
import type { AddCommand } from '../command.ts'

const shells = ['bash', 'zsh', 'fish'] as const

export const addCompletion: AddCommand = (program, terminal) => {
  program
    .command('completion')
    .description('Print a script that completes mortise in your shell.')
    .addArgument(new Argument('<shell>', 'the shell').choices(shells))
    .addHelpText('after', '\nExamples:\n  source <(mortise completion bash)\n  mortise completion fish | source')
    .action(async (shell: (typeof shells)[number]) => {
      const { describeProgram } = await import('../completion/describe-program.ts')
      const scripts = {
        bash: async () => (await import('../completion/bash.ts')).bashCompletion,
        zsh: async () => (await import('../completion/zsh.ts')).zshCompletion,
        fish: async () => (await import('../completion/fish.ts')).fishCompletion,
      }
      terminal.stdout.write((await scripts[shell]())(describeProgram(program)))
    })
}
