import { defineList, defineRecord, fieldOf, times, type RowOf } from '../../database/index.js';

/** How inputs name an audience. */
export const AUDIENCE_NAMES = { table: 'portal_audiences', name: 'name' };
export const AUDIENCE_USERS = { table: 'portal_audience_users', owner: 'audience_id', key: 'user_id' };
export const AUDIENCE_PRODUCTS = { table: 'portal_audience_products', owner: 'audience_id', key: 'product_id' };

/** An audience as other records name it. */
export interface AudienceReference {
  readonly id: number;
  readonly name: string;
}

export const audienceRecord = defineRecord({
  name: 'Audience',
  table: 'portal_audiences',
  alias: 'a',
  noun: 'audience',
  fields: {
    id: fieldOf.id(),
    name: fieldOf.text(100).unique(),
    description: fieldOf.text(500).default(''),
    ...times,
  },
});

/** A group of developers who can see certain private products. */
export type AudienceRow = RowOf<typeof audienceRecord>;

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
  /** By e-mail; undefined unless requested. */
  readonly users?: readonly AudienceMember[];
  /** By slug. */
  readonly products?: readonly AudienceProduct[];
}

export interface AudienceInput {
  readonly name: string;
  readonly description?: string;
  /** E-mails or ids; members that are not listed are removed. */
  readonly users?: readonly (string | number)[];
  /** Slugs or ids. */
  readonly products?: readonly (string | number)[];
}

/** Audiences as admins list them. */
export const audienceList = defineList<AudienceRow>(
  audienceRecord.list({
    name: 'audiences',
    sorts: ['id', 'name', 'createdAt', 'updatedAt'],
    search: ['name', 'description'],
    relations: ['users', 'products'],
  }),
);
