import { Type } from 'typebox'
import type { Collecting } from '../kind.ts'
import { keyTemplateProperty, readKeyTemplate } from '../object-settings.ts'
import type { SettingsReader } from '../settings-reader.ts'
import { readTemplate } from '../template.ts'
import { type BatchSettings, batchProperties, collectingOf, readBatchSettings } from '../warehouse.ts'

export const fileFormats = ['ndjson', 'csv', 'parquet'] as const
export type FileFormat = (typeof fileFormats)[number]

/** Settings of stores of objects that say what an object is: a message, or a file of the records of many messages. */
export interface ObjectSettings extends BatchSettings {
  keyTemplate?: string
  /** `json`, as by default: each message is an object. */
  format?: 'json' | FileFormat
  prefixTemplate?: string
}

export const objectProperties = {
  keyTemplate: keyTemplateProperty,
  format: Type.String({
    description:
      'What an object is. `json`: a message, as by default. `ndjson`, `csv` or `parquet`: a file of the records of many messages, and a manifest for each batch.',
  }),
  prefixTemplate: Type.String({
    description:
      "For files of records: JMESPath expression that makes their folder, such as join('/', [data.objectName, data.groupRef, time.date]). By default, the table and the day, such as contacts/date=2026-01-31.",
  }),
  ...batchProperties,
}

export function readObjectSettings(read: SettingsReader): {
  [K in keyof Required<ObjectSettings>]: ObjectSettings[K] | undefined
} {
  const settings = {
    keyTemplate: readKeyTemplate(read),
    format: read.optionalText('format', {
      what: `one of json, ${fileFormats.join(', ')}`,
      pattern: /^(?:json|ndjson|csv|parquet)$/,
    }) as ObjectSettings['format'],
    prefixTemplate: readTemplate(read, 'prefixTemplate'),
    ...readBatchSettings(read),
  }
  const { keyTemplate, format, prefixTemplate, batchSize, maxWaitSecs } = settings
  if (formatOfFiles({ format }) !== undefined) {
    if (keyTemplate !== undefined)
      read.refuse('keyTemplate', 'is for objects of one message each.', 'Set prefixTemplate for files of records.')
  } else
    for (const [name, value] of Object.entries({ prefixTemplate, batchSize, maxWaitSecs }))
      if (value !== undefined)
        read.refuse(name, 'is for files of records.', `Set format to ${fileFormats.join(', ')}, or remove ${name}.`)
  return settings
}

/** The format of files of records; undefined if each message is an object. */
export function formatOfFiles({ format }: { format: ObjectSettings['format'] | undefined }): FileFormat | undefined {
  return format === 'json' ? undefined : format
}

/** Whether each message is an object. */
export function isObjectForEach(settings: ObjectSettings): boolean {
  return formatOfFiles({ format: settings.format }) === undefined
}

/** When files are written. Objects of one message each do not wait. */
export function collectingOfFiles(settings: ObjectSettings): Collecting | undefined {
  return formatOfFiles({ format: settings.format }) && collectingOf(settings)
}
