import { Argument } from 'commander'
import { collect } from '../collect.ts'
import { type AddCommand, type ServiceOptions, withService } from '../command.ts'
import { Exit } from '../exit.ts'
import { exitCodes } from '../exit-codes.ts'
import { printable } from '../terminal/print.ts'

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD'] as const

interface Options extends ServiceOptions {
  data?: string
  header: string[]
}

export const addApi: AddCommand = (program, terminal) => {
  withService(program.command('api'))
    .description('Send any request to the API, with the credential that commands use.')
    .addArgument(new Argument('<method>', 'the HTTP method').choices(methods).argParser((text) => text.toUpperCase()))
    .argument('<path>', 'a path such as /v1/projects, or one below the project, such as destinations')
    .option('--data <json>', 'the body: JSON, @FILE, or - for standard input')
    .option('--header <line>', 'a header of the request, such as "Accept: text/plain"; can be repeated', collect, [])
    .addHelpText(
      'after',
      '\nThe status goes to standard error, the body to standard output. {project} in a path is the project.\n\n' +
        'Examples:\n  mortise api GET destinations\n  mortise api POST topics --data \'{"name":"health"}\'\n  mortise api GET /read/v1/projects/{project}/integrations',
    )
    .action(async (method: string, path: string, { data, header, ...options }: Options) => {
      const { sendRequest } = await import('../raw-api/send-request.ts')
      const answer = await sendRequest({ method, path, data, headers: header }, options, terminal)
      const { ok, status, statusText } = answer
      const color = ok ? terminal.err.green : terminal.err.red
      terminal.stderr.write(`${color(printable(`HTTP ${status} ${statusText}`.trimEnd()))}\n`)
      const { bodyText } = await import('../raw-api/body-text.ts')
      terminal.stdout.write(await bodyText(answer))
      if (ok) return
      if (status === 404) throw new Exit(exitCodes.notFound)
      throw new Exit(status === 401 || status === 403 ? exitCodes.notAllowed : exitCodes.failed)
    })
}
