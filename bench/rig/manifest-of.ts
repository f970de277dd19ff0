/**
 * A manifest of `count` integrations as builders write them: two objects that are read, with chosen, optional and
 * mapped fields, and one that is written. `label` makes their names, `revision` their content.
 */
export function manifestOf(count: number, label: string, revision = 1): string {
  const integrations = Array.from({ length: count }, (_, index) => integration(`${label}-${index}`, revision))
  return `specVersion: 1.0.0\nintegrations:\n${integrations.join('')}`
}

function integration(name: string, revision: number): string {
  return `  - name: ${name}
    displayName: Customers of ${name}, revision ${revision}
    provider: hubspot
    read:
      objects:
        - objectName: contacts
          destination: customerWebhook
          schedule: '*/30 * * * *'
          # What every customer has.
          requiredFields:
            - fieldName: email
            - fieldName: firstname
            - fieldName: lastname
            - fieldName: phone
              mapToName: phoneNumber
          # What the customer chooses.
          optionalFields:
            - fieldName: company
            - mapToName: lifecycle
              mapToDisplayName: Lifecycle stage
              prompt: Which field tells how far you are with a contact?
              default: lifecyclestage
          backfill:
            defaultPeriod:
              days: 30
        - objectName: companies
          destination: customerWebhook
          schedule: '0 * * * *'
          requiredFields:
            - fieldName: name
          optionalFieldsAuto: all
          backfill:
            defaultPeriod:
              fullHistory: true
    write:
      objects:
        - objectName: contacts
`
}
