import { Document, type YAMLMap } from 'yaml'

/** What a first manifest is made of. */
export interface NewManifest {
  name: string
  provider: string
  module: string | undefined
  /** None where the provider can only be proxied to. */
  objects: { objectName: string; fields: string[] }[]
  destination: string
  /** Cron, in UTC; `undefined` where objects are read only when triggered. */
  schedule: string | undefined
  /** Of the schema that editors complete and explain keys with. */
  schemaUrl: string
}

/** The text of a manifest of one integration, with comments that say what is worth changing. */
export function newManifest({
  name,
  provider,
  module,
  objects,
  destination,
  schedule,
  schemaUrl,
}: NewManifest): string {
  const document = new Document({
    specVersion: '1.0.0',
    integrations: [
      {
        name,
        provider,
        ...(module !== undefined && { module }),
        ...(objects.length === 0
          ? { proxy: { enabled: true } }
          : {
              read: {
                objects: objects.map(({ objectName, fields }) => ({
                  objectName,
                  destination,
                  ...(schedule !== undefined && { schedule }),
                  ...(fields.length > 0 && { requiredFields: fields.map((fieldName) => ({ fieldName })) }),
                  optionalFieldsAuto: 'all',
                  backfill: { defaultPeriod: { days: 30 } },
                })),
              },
            }),
      },
    ],
  })
  document.commentBefore = ` yaml-language-server: $schema=${schemaUrl}`
  const first = document.getIn(['integrations', 0, 'read', 'objects', 0]) as YAMLMap | undefined
  if (first) {
    remark(first, 'destination', ' Where records are delivered to: mortise create destination, or the API.')
    remark(first, 'requiredFields', ' What every customer delivers; mapToName gives a field another name.')
    remark(first, 'optionalFieldsAuto', ' Customers may choose any other field.')
    remark(first, 'backfill', ' How much of the past is read once: days, or fullHistory: true.')
  }
  return document.toString({ lineWidth: 0, singleQuote: true }).replace(/^(#.*)\n\n/, '$1\n')
}

/** A comment above a key. */
function remark(map: YAMLMap, key: string, text: string): void {
  const pair = map.items.find((item) => (item.key as { value?: unknown }).value === key)
  if (pair) (pair.key as { commentBefore?: string }).commentBefore = text
}
