import type { Input, Item, ListId } from '@mortise/client'
import { useProjectRef } from '../session/project.tsx'
import { client } from '../session/session.ts'
import { Icon } from './icons.tsx'
import { Menu } from './menu.tsx'
import { count } from './numbers.ts'
import { toast } from './toasts.ts'

/** Rows that one export has at most. For more, use the API. */
const rowsMax = 50_000

/** Downloads a list with its filters, as CSV or JSON. The server's pages are requested one after the other. */
export function ExportMenu<Id extends ListId>({ id, input, name }: { id: Id; input: Input<Id>; name: string }) {
  const project = useProjectRef()
  async function save(format: 'csv' | 'json') {
    const items: Item<Id>[] = []
    try {
      const full = { projectIdOrName: project, ...(input as object) } as never
      for await (const item of client.each(id, full)) {
        items.push(item)
        if (items.length >= rowsMax) break
      }
    } catch (error) {
      toast({ title: 'The export failed', text: error instanceof Error ? error.message : String(error), kind: 'error' })
      return
    }
    const text = format === 'json' ? JSON.stringify(items, null, 2) : csv(items)
    download(`${name}.${format}`, text, format === 'json' ? 'application/json' : 'text/csv')
    const cut = items.length >= rowsMax ? ` The list is longer: the export has its first ${count(rowsMax)}.` : ''
    toast({ title: `${count(items.length)} rows exported.${cut}`, kind: 'success' })
  }
  return (
    <Menu
      label="Export"
      trigger={
        <>
          <Icon name="download" /> Export
        </>
      }
      items={[
        { label: 'CSV', onSelect: () => save('csv') },
        { label: 'JSON', onSelect: () => save('json') },
      ]}
    />
  )
}

export function download(name: string, text: string, type: string): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(new Blob([text], { type }))
  link.download = name
  link.click()
  URL.revokeObjectURL(link.href)
}

/** Rows as CSV (RFC 4180). Objects inside are JSON. */
export function csv(items: unknown[]): string {
  const columns = [...new Set(items.flatMap((item) => Object.keys(item as object)))]
  const lines = items.map((item) => columns.map((column) => cell((item as Record<string, unknown>)[column])).join(','))
  return `${[columns.map(cell).join(','), ...lines].join('\r\n')}\r\n`
}

function cell(value: unknown): string {
  if (value === undefined || value === null) return ''
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value)
  // A spreadsheet would run a text that begins like a formula.
  const safe = typeof value === 'string' && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
