import { createClient } from '@mortise/client'
import type { AddCommand } from '../command.ts'
import { keptTokens } from '../service/fresh-token.ts'
import { keepSession } from '../service/session-file.ts'
import { readSettings } from '../service/settings.ts'
import { printable } from '../terminal/print.ts'
import { UsageError } from '../usage-error.ts'

interface Options {
  url?: string
  project?: string
  browser: boolean
  email?: string
  passwordStdin?: boolean
  code?: string
}

export const addLogin: AddCommand = (program, terminal) => {
  program
    .command('login')
    .description('Sign in to a service, for the commands that follow.')
    .option('--url <origin>', 'the service (MORTISE_URL; default: the last sign-in, else http://localhost:4100)')
    .option('-p, --project <idOrName>', 'the project that commands work in from now on')
    .option('--no-browser', 'print the address of the page instead of opening it')
    .option('--email <email>', 'sign in with a password, where this computer has no browser')
    .option('--password-stdin', 'read the password from standard input; needs --email')
    .option('--code <code>', 'the code of your second factor, or a recovery code; needs --email')
    .addHelpText(
      'after',
      '\nExamples:\n  mortise login --url https://mortise.example.com\n  mortise login --email ada@example.com',
    )
    .action(async ({ email, passwordStdin = false, code, ...options }: Options) => {
      const { stderr, signal, env } = terminal
      if (passwordStdin && email === undefined) throw new UsageError('--password-stdin needs --email.')
      if (code !== undefined && email === undefined) throw new UsageError('--code needs --email.')
      const { url } = await readSettings(options, terminal)
      const tokens =
        email === undefined
          ? await (await import('../sign-in/with-browser.ts')).signInWithBrowser(url, terminal, {
              openBrowser: options.browser,
            })
          : await (await import('../sign-in/with-password.ts')).signInWithPassword(url, email, terminal, {
              passwordStdin,
              code,
            })
      const mortise = createClient({ baseUrl: url, token: tokens.accessToken })
      const who = await mortise.getMyInfo({}, { signal })
      const { chooseProject } = await import('../sign-in/choose-project.ts')
      const project = options.project
        ? (await mortise.getProject({ projectIdOrName: options.project }, { signal })).name
        : await chooseProject(who, terminal)
      const name = who.builder.primaryEmail ?? who.builder.id
      await keepSession(env, { url, email: name, ...(project && { project }), ...keptTokens(tokens) })
      const where = project ? `project ${project}` : 'no project chosen: name one with --project'
      stderr.write(printable(`Signed in to ${url} as ${name}, ${where}.\n`))
      if (env['MORTISE_API_KEY'])
        stderr.write('MORTISE_API_KEY is set, and commands continue to use that key. Unset it to use your sign-in.\n')
    })
}
