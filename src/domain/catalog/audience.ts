import {
  DataTypes,
  defineList,
  defineModel,
  TIMESTAMP,
  type CreationOptional,
  type InferAttributes,
  type InferCreationAttributes,
  type Model,
} from '../../database/index.js';

/** An audience as other records name it. */
export interface AudienceReference {
  readonly id: number;
  readonly name: string;
}

/** A group of developers that private products are shown to. */
export interface AudienceRow {
  readonly id: number;
  readonly name: string;
  readonly description: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** A member of an audience, as its record names them. */
export interface AudienceMember {
  readonly id: number;
  readonly email: string;
  readonly firstName: string;
  readonly lastName: string;
}

/** A product of an audience. */
export interface AudienceProduct {
  readonly id: number;
  readonly slug: string;
  readonly name: string;
}

export interface AudienceRecord extends AudienceRow {
  readonly usersCount: number;
  readonly productsCount: number;
  /** By e-mail; undefined when not asked for. */
  readonly users?: readonly AudienceMember[];
  /** By slug. */
  readonly products?: readonly AudienceProduct[];
}

export interface AudienceInput {
  readonly name: string;
  readonly description?: string;
  /** E-mails or ids; the members there are leave when they are not among them. */
  readonly users?: readonly (string | number)[];
  /** Slugs or ids. */
  readonly products?: readonly (string | number)[];
}

/** Row of `portal_audiences`. */
export interface AudienceModel extends Model<InferAttributes<AudienceModel>, InferCreationAttributes<AudienceModel>> {
  id: CreationOptional<number>;
  name: string;
  description: string;
  createdAt: Date;
  updatedAt: Date;
}

export const audienceModel = defineModel<AudienceModel>('Audience', 'portal_audiences', {
  id: { type: DataTypes.BIGINT, primaryKey: true, autoIncrement: true },
  name: DataTypes.STRING(100),
  description: DataTypes.STRING(500),
  createdAt: TIMESTAMP,
  updatedAt: TIMESTAMP,
});

const column = {
  id: { column: 'a.id', type: 'integer' },
  name: { column: 'a.name', type: 'string', unique: true },
  created_at: { column: 'a.created_at', type: 'date' },
  updated_at: { column: 'a.updated_at', type: 'date' },
} as const;

/** Audiences as admins list them. */
export const audienceList = defineList<AudienceRow>({
  name: 'audiences',
  table: 'portal_audiences',
  alias: 'a',
  columns: {
    id: 'a.id',
    name: 'a.name',
    description: 'a.description',
    createdAt: 'a.created_at',
    updatedAt: 'a.updated_at',
  },
  decode: { createdAt: 'date', updatedAt: 'date' },
  sorts: column,
  filters: column,
  search: ['a.name', 'a.description'],
  relations: ['users', 'products'],
});
