import { useId } from 'react'
import { useCall } from '../session/data.ts'
import { TextField } from './fields.tsx'
import { useSettled } from './use-settled.ts'

/** The ref of a customer. Suggests those whose ref or name holds what is typed. */
export function CustomerField({
  value,
  error,
  onChange,
}: {
  value: string
  error?: string | undefined
  onChange: (value: string) => void
}) {
  const list = useId()
  const wanted = useSettled(value)
  const { data } = useCall('listGroups', { query: { pageSize: 20, ...(wanted !== '' && { query: wanted }) } })
  return (
    <>
      <TextField
        label="Customer"
        help="Your id of the customer (groupRef)."
        list={list}
        value={value}
        error={error}
        onChange={(event) => onChange(event.target.value)}
      />
      <datalist id={list}>
        {data?.map(({ groupRef, groupName }) => (
          <option key={groupRef} value={groupRef}>
            {groupName}
          </option>
        ))}
      </datalist>
    </>
  )
}
