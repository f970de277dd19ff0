import { attack } from './s01-hostile-inputs.ts'
import { testAttack } from './test-attack.testkit.ts'

testAttack(attack)
