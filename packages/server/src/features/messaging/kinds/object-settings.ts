import { Type } from 'typebox'
import type { SettingsReader } from './settings-reader.ts'
import { readTemplate } from './template.ts'

/** Settings that all stores of objects have. */
export const keyTemplateProperty = Type.String({
  description:
    'JMESPath expression that makes the key of an object, such as join(\'/\', [data.groupRef, time.date, metadata."event-id"]). An object of the same key is overwritten. By default, the time and the id of the message.',
})

export const readKeyTemplate = (read: SettingsReader) => readTemplate(read, 'keyTemplate')

/** Path of an object below its bucket or container. */
export const objectPath = (key: string) => key.split('/').map(encodeURIComponent).join('/')
