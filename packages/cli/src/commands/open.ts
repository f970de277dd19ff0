import { type AddCommand, type FormatOptions, withFormat } from '../command.ts'
import { readSettings } from '../service/settings.ts'
import { printData } from '../terminal/print.ts'
import { UsageError } from '../usage-error.ts'

/** Pages of the service by the name that people type. */
const pages: Record<string, string> = {
  home: '/',
  docs: '/docs',
  'sign-in': '/signin',
  'forgot-password': '/signin/forgot',
  openapi: '/v1/openapi.json',
  health: '/healthz',
}

type Options = FormatOptions & { url?: string; browser: boolean }

export const addOpen: AddCommand = (program, terminal) => {
  withFormat(program.command('open'))
    .description('Open a page of the service in your browser, and print its address.')
    .argument('[page]', `${Object.keys(pages).join(', ')}, or a path such as /docs/installing`, 'home')
    .option('--url <origin>', 'the service (MORTISE_URL; default: the last sign-in, else http://localhost:4100)')
    .option('--no-browser', 'print the address only')
    .addHelpText('after', '\nExamples:\n  mortise open docs\n  mortise open /docs/installing --no-browser')
    .action(async (page: string, { browser, format, ...options }: Options) => {
      const { url } = await readSettings(options, terminal)
      const path = page.startsWith('/') ? page : Object.hasOwn(pages, page) ? pages[page] : undefined
      if (path === undefined)
        throw new UsageError(
          `There is no page “${page}”. Name one of ${Object.keys(pages).join(', ')}, or a path such as /docs.`,
        )
      const address = new URL(path, `${url}/`).href
      if (format === 'text') terminal.stdout.write(`${address}\n`)
      else printData(terminal, format, { url: address })
      if (!browser || !terminal.interactive) return
      await terminal
        .browse(address)
        .catch(() => terminal.stderr.write('There is no browser here. Open the address above in one.\n'))
    })
}
