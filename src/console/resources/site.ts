import { defineAdminResource } from '../resource.js';

export const menus = defineAdminResource({
  name: 'menus',
  group: 'site',
  title: 'name',
  subject: 'menu',
  params: ['menu'],
  paramsOf: ({ id }) => ({ menu: id as number }),
  operations: { list: 'listMenus', show: 'showMenu', create: 'createMenu', update: 'updateMenu', delete: 'deleteMenu' },
  columns: [{ field: 'name' }, { field: 'slug', as: 'code' }, { field: 'updated_at', as: 'date' }],
  template: 'console/menu',
  further: ['updateMenuItem', 'deleteMenuItem'],
  actions: [{ name: 'add-item', operation: 'createMenuItem' }],
});

export const banners = defineAdminResource({
  name: 'banners',
  group: 'site',
  title: 'name',
  subject: 'banner',
  operations: {
    list: 'listAdminBanners',
    show: 'getBanner',
    create: 'createBanner',
    update: 'updateBanner',
    delete: 'deleteBanner',
  },
  columns: [
    { field: 'name' },
    { field: 'level', as: 'badge' },
    { field: 'product.name', label: 'product' },
    { field: 'starts_at', as: 'date' },
    { field: 'ends_at', as: 'date' },
    { field: 'updated_at', as: 'date', hidden: true },
  ],
  facts: [
    { field: 'name' },
    { field: 'short_description', as: 'long' },
    { field: 'level', as: 'badge' },
    {
      field: 'product.name',
      label: 'product',
      leadsTo: ({ product }) =>
        product ? { resource: 'products', params: { id: (product as { id: number }).id } } : null,
    },
    { field: 'starts_at', as: 'date' },
    { field: 'ends_at', as: 'date' },
    { field: 'translations', as: 'json' },
    { field: 'created_at', as: 'date' },
    { field: 'updated_at', as: 'date' },
  ],
  form: { product: { choices: { operation: 'listProducts', value: 'slug', label: 'name' } } },
});

export const menuItems = defineAdminResource({
  name: 'menu-items',
  group: 'site',
  title: 'label',
  params: ['menu', 'item'],
  paramsOf: ({ id, menu_id: menu }) => ({ ...(menu !== undefined && { menu: menu as number }), item: id as number }),
  operations: { show: 'getMenuItem', update: 'updateMenuItem', delete: 'deleteMenuItem' },
  columns: [
    { field: 'label' },
    { field: 'route', as: 'code' },
    { field: 'url', as: 'code' },
    { field: 'visibility', as: 'badge' },
    { field: 'position' },
    { field: 'updated_at', as: 'date' },
  ],
});

export const settings = defineAdminResource({
  name: 'settings',
  group: 'site',
  title: 'key',
  subject: 'setting',
  operations: {
    list: 'listSettings',
    show: 'getSetting',
    create: 'createSetting',
    update: 'updateSetting',
    delete: 'deleteSetting',
  },
  columns: [
    { field: 'key', as: 'code' },
    { field: 'label' },
    { field: 'value' },
    { field: 'group' },
    { field: 'type', as: 'badge', hidden: true },
    { field: 'public', as: 'flag' },
    { field: 'updated_at', as: 'date', hidden: true },
  ],
  facts: [
    { field: 'key', as: 'code' },
    { field: 'label' },
    { field: 'value' },
    { field: 'default' },
    { field: 'description', as: 'long' },
    { field: 'group' },
    { field: 'type', as: 'badge' },
    { field: 'public', as: 'flag' },
    { field: 'updated_at', as: 'date' },
  ],
});
